import test from 'ava';
import { buildProgram, type Verbs } from '../../runtime/cli/program.ts';
import { MOCK, OPENAI } from '../../runtime/settings/backend.ts';
import { COORDINATOR } from '../../runtime/settings/coordinator.ts';
import { flagOf } from '../../runtime/settings/flag.ts';
import type { Setting } from '../../runtime/settings/setting.ts';
import { LEASE_TIMING, TIMING } from '../../runtime/settings/timing.ts';
import { WORKER } from '../../runtime/settings/worker.ts';
import { parsed, runtimeSources, walk } from './sources.ts';

/** The settings of all tables, by the last part of their path. One of a single word is left out: in a message it may be any word. */
const SETTINGS: readonly (readonly [name: string, setting: Setting])[] = [COORDINATOR, WORKER, OPENAI, MOCK, TIMING, LEASE_TIMING]
  .flatMap((table) => Object.entries<Setting>(table))
  .map(([path, setting]) => [path.split('.').at(-1) ?? path, setting] as const)
  .filter(([name]) => /[a-z][A-Z]/.test(name));

const FLAGS: Readonly<Record<string, string>> = Object.fromEntries(
  SETTINGS.flatMap(([name, { flags }]) => (flags === undefined ? [] : [[name, flagOf(flags)]])),
);

/** No command line meets these messages, or they say that the setting stands in a file; why, by the name of the setting. */
const IN_FILES: Readonly<Record<string, string>> = {
  stateDir: 'the coordinator’s own identity check and a worker’s store; others name --state first',
  terminationGracePeriod: 'the help of `rollout drain` explains the default, which is the worker’s',
  maxLineBytes: 'only where it is set: a run of the command line has the most that there is, and its message names no setting',
  coordinatorFailureTimeout: 'checks of timings against one another in a settings file',
  workerSelfFenceTimeout: 'checks of timings against one another in a settings file',
  heartbeatInterval: 'checks of timings against one another in a settings file',
  runId: 'a part of the name that a certificate carries',
  workerId: 'the command line names its workers by itself',
  waitCoordinator: 'the command line’s workers end with it, and are told where the coordinator is',
  maxLoopBlock: 'a worker’s own log',
};

/** Texts with a blank in them: what people read. */
function sentencesIn(text: string): readonly string[] {
  const found: string[] = [];
  walk(parsed(text).program, (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
    if (node.type === 'TemplateElement') found.push(node.value.raw);
  });
  return found.filter((sentence) => sentence.includes(' '));
}

function optionsOfRun(): readonly string[] {
  const program = buildProgram({} as Verbs, () => undefined, 'x');
  const run = program.commands.find((command) => command.name() === 'run');
  return run?.options.map((option) => option.long ?? '') ?? [];
}

const settings = [...new Set(SETTINGS.map(([name]) => name))];
/** The declarations themselves are for the help text and docs/settings.md. */
const sources = runtimeSources().filter(({ path }) => !path.startsWith('runtime/settings/'));
const sentences = sources.flatMap(({ path, text }) => sentencesIn(text).map((sentence) => ({ path, sentence })));
const named = settings.filter((name) => sentences.some(({ sentence }) => new RegExp(`\\b${name}\\b`).test(sentence)));

test('a message that names a setting names the flag too, for the reader of a command line; or the reader has the file', (t) => {
  t.true(named.length >= 10, `only ${named.length} settings were seen in messages`);
  const isTold = (name: string): boolean => {
    const flag = FLAGS[name];
    const about = sentences.filter(({ sentence }) => new RegExp(`\\b${name}\\b`).test(sentence));
    return flag !== undefined && about.every(({ sentence }) => sentence.includes(flag));
  };
  t.deepEqual(
    named.filter((name) => !isTold(name) && IN_FILES[name] === undefined),
    [],
  );
  t.deepEqual(
    Object.keys(IN_FILES).filter((name) => !named.includes(name)),
    [],
    'these are named in no message any more',
  );
});

test('each flag that a message names is there', (t) => {
  const options = optionsOfRun();
  t.true(options.length > 20);
  t.deepEqual(
    Object.values(FLAGS).filter((flag) => !options.includes(flag)),
    [],
  );
});

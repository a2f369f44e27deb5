import test from 'ava';
import { buildProgram, type Verbs } from '../../runtime/cli/program.ts';
import type { RunOption } from '../../runtime/cli/run-option.ts';
import { RUN_OPTIONS } from '../../runtime/cli/run-options.ts';
import { parsed, readText, runtimeSources, walk } from './sources.ts';

/** `--wait-backend` of `--wait-backend <duration>`. */
const flagOf = ({ flags }: RunOption): string => flags.split(' ')[0] ?? flags;

/** The flag of each setting whose name is of two words or more: a single word in a message may be any word. */
const FLAGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values<RunOption>(RUN_OPTIONS).flatMap((option) =>
    Object.values(option.to ?? {}).flatMap((setting) => (/[a-z][A-Z]/.test(setting) ? [[setting, flagOf(option)]] : [])),
  ),
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

/** Of two words or more: a single word may be any word. */
function settingNames(): readonly string[] {
  const rows = [...(readText('docs/settings.md') ?? '').matchAll(/^\| `([\w.]+)` \|/gm)];
  return [...new Set(rows.flatMap((row) => (row[1] ?? '').split('.')))].filter((name) => /[a-z][A-Z]/.test(name));
}

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

const settings = settingNames();
const sentences = runtimeSources().flatMap(({ path, text }) => sentencesIn(text).map((sentence) => ({ path, sentence })));
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

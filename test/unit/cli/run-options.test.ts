import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { stringify } from 'yaml';
import type { RunOption, Target } from '../../../runtime/cli/run-option.ts';
import { RUN_OPTIONS } from '../../../runtime/cli/run-options.ts';
import { loadCoordinatorSettings } from '../../../runtime/coordinator/settings.ts';
import { loadWorkerSettings } from '../../../runtime/worker/settings.ts';
import { readText } from '../../style/sources.ts';

const OPTIONS: readonly (readonly [string, RunOption])[] = Object.entries<RunOption>(RUN_OPTIONS);

const COORDINATOR = { input: 'in.jsonl', output: 'out.jsonl' };
const WORKER = { coordinators: ['127.0.0.1:50051'], workerId: 'w-1', stateDir: 's', tls: { dir: 't' } };
const OPENAI = { type: 'openai', baseUrl: 'http://a' };
const MOCK = { type: 'mock' };

/** The settings of one place that have a default on the command line, with it. */
function defaultsOf(target: Target): Readonly<Record<string, unknown>> {
  const rows = OPTIONS.flatMap(([, { to, default: value }]) =>
    to?.[target] === undefined || value === undefined ? [] : [[to[target], value]],
  );
  return Object.fromEntries(rows.filter(([name]) => name !== 'baseUrl'));
}

async function loaded<T>(load: (path: string) => Promise<T>, settings: object): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-options-'));
  try {
    await writeFile(join(dir, 'settings.yaml'), stringify(settings));
    return await load(join(dir, 'settings.yaml'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

test('what an option of rollout run has as default, a settings file has too', async (t) => {
  const coordinator = defaultsOf('coordinator');
  t.true(Object.keys(coordinator).length >= 8, 'settings of the coordinator');
  t.deepEqual(
    await loaded(loadCoordinatorSettings, { ...coordinator, ...COORDINATOR }),
    await loaded(loadCoordinatorSettings, COORDINATOR),
  );
  for (const [backend, target] of [[OPENAI, 'openai'] as const, [MOCK, 'mock'] as const]) {
    const [worker, own] = [defaultsOf('worker'), defaultsOf(target)];
    t.true(Object.keys(worker).length >= 4 && Object.keys(own).length >= 2, target);
    t.deepEqual(
      await loaded(loadWorkerSettings, { ...WORKER, ...worker, backend: { ...backend, ...own } }),
      await loaded(loadWorkerSettings, { ...WORKER, backend }),
    );
  }
});

test('docs/settings.md has the default of each option that is a setting', (t) => {
  const rows = [...(readText('docs/settings.md') ?? '').matchAll(/^\| `([\w.]+)` \| `?([^|`]*?)`? \|/gm)];
  const documented = new Map(rows.map(([, name = '', value = '']) => [name, value]));
  const prefixes = { coordinator: '', worker: '', results: 'results.', openai: 'backend.', mock: 'backend.' } as const;
  const wrong = (Object.keys(prefixes) as Target[]).flatMap((target) =>
    Object.entries(defaultsOf(target)).filter(([name, value]) => documented.get(prefixes[target] + name) !== String(value)),
  );
  // worker.yaml has the same log levels as coordinator.yaml.
  t.deepEqual(wrong, []);
});

test('an argument has the name that its flag makes', (t) => {
  for (const [name, { flags }] of OPTIONS) {
    const flag = flags.split(' ')[0] ?? '';
    t.is(
      name,
      flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
  }
});

test('every option of rollout run says in its help what it is for, and a choice or a text has a name for its value', (t) => {
  for (const [name, { flags, help, choices, value }] of OPTIONS) {
    t.true(help.length > 10, name);
    if (choices !== undefined || value !== undefined) t.regex(flags, /<.+>$/, name);
  }
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { parse, stringify } from 'yaml';
import { loadCoordinatorSettings } from '../../runtime/coordinator/settings.ts';
import { loadWorkerSettings } from '../../runtime/worker/settings.ts';
import { readText } from './sources.ts';

/** What the default column has in place of a value. */
const WORDS = /^(?:required.*|none|all|never|of the input|the one in .*|a third of .*|<.*>.*)$/;

/** A health endpoint that was asked for by name is bound there or nowhere; without one, a free port will do. */
const NOT_THE_SAME = ['http'];

interface File {
  readonly heading: string;
  readonly least: Readonly<Record<string, unknown>>;
  readonly load: (path: string) => Promise<unknown>;
  /** Only these of `backend.*`, where the file has a backend. */
  readonly backend: readonly string[];
}

const WORKER = { coordinators: ['127.0.0.1:50051'], workerId: 'w-1', stateDir: 's', tls: { dir: 't' } };

const FILES: readonly File[] = [
  { heading: '## coordinator.yaml', least: { input: 'in.jsonl', output: 'out.jsonl' }, load: loadCoordinatorSettings, backend: [] },
  {
    heading: '## worker.yaml',
    least: { ...WORKER, backend: { type: 'openai', baseUrl: 'http://a' } },
    load: loadWorkerSettings,
    backend: ['apiKeyEnv', 'maxAnswerBytes'],
  },
  {
    heading: '## worker.yaml',
    least: { ...WORKER, backend: { type: 'mock' } },
    load: loadWorkerSettings,
    backend: ['latency', 'latencySpread', 'failureRate', 'seed'],
  },
];

/** The settings under a heading of docs/settings.md that have a value as default. */
function documentedDefaults(heading: string): readonly (readonly [name: string, value: unknown])[] {
  const text = readText('docs/settings.md') ?? '';
  const section = text.slice(text.indexOf(heading) + heading.length).split('\n## ')[0] ?? '';
  const rows = section.matchAll(/^\| `([\w.]+)` \| ([^|]*) \|/gm);
  return [...rows].flatMap(([, name = '', shown = '']) => {
    const text = shown.replaceAll('`', '');
    return WORDS.test(text) || NOT_THE_SAME.includes(name) ? [] : [[name, parse(text)] as const];
  });
}

/** The names of the settings under a heading of docs/settings.md; of a backend, those of either type. */
function documentedNames(heading: string): readonly string[] {
  const text = readText('docs/settings.md') ?? '';
  const section = text.slice(text.indexOf(heading) + heading.length).split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => name);
}

/** The names that a file takes: it lists them where it refuses one, in each block that it has. */
async function namesOf(file: File, block = ''): Promise<readonly string[]> {
  const unknown = block === '' ? UNKNOWN : `${block}.${UNKNOWN}`;
  const message = await loaded(file, withSetting(file.least, unknown, 1)).then(String, (error: Error) => error.message);
  const here = /known here are (.*)$/m.exec(message)?.[1]?.match(/\w+/g) ?? null;
  // What is no block is refused in another way.
  if (here === null) return message.includes('remove it') ? [] : [block];
  const names: string[] = [];
  for (const name of here) names.push(...(await namesOf(file, block === '' ? name : `${block}.${name}`)));
  return names;
}

const UNKNOWN = 'qqqqqqqqqqqq';

/** `least` with a setting whose name may have a dot in it. */
function withSetting(settings: Readonly<Record<string, unknown>>, name: string, value: unknown): Readonly<Record<string, unknown>> {
  const [first = '', ...rest] = name.split('.');
  const inner = (settings[first] ?? {}) as Readonly<Record<string, unknown>>;
  return { ...settings, [first]: rest.length === 0 ? value : withSetting(inner, rest.join('.'), value) };
}

async function loaded({ load }: File, settings: object): Promise<unknown> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-defaults-'));
  try {
    await writeFile(join(dir, 'settings.yaml'), stringify(settings));
    return await load(join(dir, 'settings.yaml'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

for (const file of FILES) {
  const { heading, least, backend } = file;
  test(`docs/settings.md has the default of each setting: ${heading} ${JSON.stringify(least['backend'] ?? '')}`, async (t) => {
    const rows = documentedDefaults(heading).filter(
      ([name]) => !name.startsWith('backend.') || backend.includes(name.slice('backend.'.length)),
    );
    t.true(rows.length >= 9, `only ${rows.length} defaults were seen`);
    const expected = await loaded(file, least);
    for (const [name, value] of rows) t.deepEqual(await loaded(file, withSetting(least, name, value)), expected, name);
  });
}

test('docs/settings.md has a row for each setting of coordinator.yaml, and none that is not there', async (t) => {
  const [coordinator] = FILES;
  if (coordinator === undefined) return t.fail();
  // A block with nothing in it yet.
  const names = [...(await namesOf(coordinator)), 'store.embedded'].toSorted();
  t.true(names.length > 25, `only ${names.length} settings were seen`);
  t.deepEqual([...documentedNames(coordinator.heading)].toSorted(), names);
});

test('docs/settings.md has a row for each setting of worker.yaml but for those of coordinator.yaml, and none that is not there', async (t) => {
  const [, openai, mock] = FILES;
  if (openai === undefined || mock === undefined) return t.fail();
  const names = new Set([...(await namesOf(openai)), ...(await namesOf(mock))]);
  t.true(names.size > 25, `only ${names.size} settings were seen`);
  // The document says so itself.
  const ofBoth = [...names].filter((name) => name === 'logLevel' || name.startsWith('timing.'));
  t.deepEqual([...documentedNames(openai.heading), ...ofBoth].toSorted(), [...names].toSorted());
});

test('a default that is not the file’s would be seen', async (t) => {
  const [coordinator] = FILES;
  if (coordinator === undefined) return t.fail();
  t.notDeepEqual(await loaded(coordinator, withSetting(coordinator.least, 'maxAttempts', 6)), await loaded(coordinator, coordinator.least));
  t.notDeepEqual(
    await loaded(coordinator, withSetting(coordinator.least, 'timing.pollWait', '19s')),
    await loaded(coordinator, coordinator.least),
  );
});

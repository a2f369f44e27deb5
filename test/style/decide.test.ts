import test from 'ava';
import { importsOf, onlyCode, places, readText, runtimeSources, type Source } from './sources.ts';

/**
 * The files that decide: pure functions over values. They do no I/O, wait for nothing, and each has a unit test of its own name in
 * test/unit. A new one is added here; the last test finds those that are missing.
 */
const DECIDE: Readonly<Record<string, readonly string[]>> = {
  base: [
    'assert',
    'backoff',
    'http-header',
    'json-members',
    'json-object',
    'module-path',
    'nearest',
    'quantity',
    'random',
    'repeats',
    'space',
    'state-error',
    'store-free-pages',
    'u32',
  ],
  model: ['detail', 'durations', 'hint', 'hint-settings', 'request-target', 'tally', 'timing'],
  ledger: ['bitmap', 'codec', 'range-page'],
  'ledger/transition': [
    'attempts',
    'claim',
    'commit',
    'draft',
    'hand-back',
    'lease',
    'reassign',
    'reopen',
    'restore',
    'run',
    'scan',
    'second',
    'settle',
    'worker',
  ],
  lease: ['machine'],
  input: ['body-bytes', 'content-id', 'entry', 'file-encoding', 'file-form', 'form-text', 'identity', 'line', 'spans', 'stray-character'],
  results: [
    'answer-notes',
    'breaks',
    'damage-text',
    'output-line',
    'output-mode',
    'output-name',
    'output-owner',
    'record-check',
    'segment',
    'shadows',
    'unwritable',
  ],
  rpc: ['access', 'beats-mapping', 'enums', 'identity', 'mapping', 'mapping-run', 'mapping-status', 'method', 'pair'],
  coordinator: [
    ...[
      'breaker',
      'claims',
      'delivery',
      'drain',
      'ending',
      'failure',
      'found',
      'hints',
      'judge',
      'machine',
      'mirror',
      'outcomes',
      'reachable',
      'reading',
      'registry',
      'rows',
    ],
    ...[
      'health-answer',
      'isolation',
      'picking',
      'poison',
      'restore',
      'sessions',
      'shares',
      'stall',
      'standing',
      'status',
      'steal',
      'straggler',
      'waits',
    ],
  ],
  'worker/backends': ['endpoint-url', 'event-stream', 'failure', 'hiding', 'model-choice', 'proxy-choice'],
  'worker/outbox': ['outcome-frame', 'scan'],
  worker: [
    'away',
    'addresses',
    'answer-body',
    'answer-shape',
    'blame',
    'concurrency',
    'deadlines',
    'endpoint',
    'execution',
    'load',
    'throughput',
    'drain',
    'ending',
    'epoch-guard',
    'hang',
    'holding',
    'machine',
    'polling',
    'retry',
    'round-time',
    'say',
    'secrets',
    'server-words',
    'silence',
    'stage',
    'state',
    'stated-delay',
    'window',
  ],
  cli: [
    'drain-text',
    'dry-run-text',
    'flag-words',
    'found-text',
    'identity-table',
    'identity-verdict',
    'rate',
    'restart',
    'run-status',
    'run-summary',
    'status-text',
    'supervision',
    'terminal',
    'unanswered',
    'verification-text',
  ],
};

/** Pure as well, but nothing is decided in them: tables, names, and thin joints that the tests of their users go through. */
const PLAIN: readonly string[] = [
  ...['base/errors', 'base/exit', 'base/settings-fields', 'base/settings-mistakes'],
  ...['keys', 'list', 'names', 'ranges'].map((name) => `ledger/embedded/${name}`),
  ...['ledger/verbs', 'input/index-files', 'input/input-error'],
  ...[
    'rpc/field-check',
    'coordinator/loop',
    'worker/check-state',
    'worker/outbox/failure',
    'worker/outage',
    'coordinator/channel',
    'worker/loop-lag',
    'cli/deps',
    'cli/exit-codes',
    'cli/paths',
  ],
];

/** What even a deciding file may use of Node and of others: functions of their arguments alone. */
const PURE_PACKAGES = new Set(['node:buffer', 'node:crypto', 'node:path', 'node:url', '@bufbuild/protobuf', 'zod']);

const files = runtimeSources();
const names = Object.entries(DECIDE).flatMap(([folder, own]) => own.map((name) => `${folder}/${name}`));
const decide = new Set(names.map((name) => `runtime/${name}.ts`));
const deciding = files.filter((file) => decide.has(file.path));

function isWords(path: string): boolean {
  return /^runtime\/(?:base|model|rpc\/gen)\//.test(path) || path.endsWith('/contract.ts');
}

/** What makes a file more than a decision: waiting, a package that reaches out, the process, or a file that does so. */
function reachesOut(file: Source): boolean {
  const packages = importsOf(file).filter((one) => !one.isType && !one.of.startsWith('runtime/'));
  return packages.some((one) => !PURE_PACKAGES.has(one.of)) || /\basync\b|\bawait\b|\bnew Promise\b|\bprocess\./.test(onlyCode(file.text));
}

test('every deciding file of the table exists', (t) => {
  t.deepEqual(
    [...decide].filter((path) => !files.some((file) => file.path === path)),
    [],
  );
});

test('a deciding file imports only base, model, contracts and what decides or is plain as well', (t) => {
  const wrong = deciding.flatMap(importsOf).filter((one) => {
    const isPlain = PLAIN.includes(one.of.replace(/^runtime\/|\.ts$/g, ''));
    return !one.isType && !isWords(one.of) && !isPlain && !decide.has(one.of) && !PURE_PACKAGES.has(one.of) && !holdsOnlyTypes(one.of);
  });
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('a deciding file waits for nothing', (t) => {
  t.deepEqual(
    deciding.flatMap((file) => places(file, /\basync\b|\bawait\b|\bnew Promise\b/, onlyCode(file.text))),
    [],
  );
});

for (const name of names) {
  test(`${name} has a unit test that asserts something`, (t) => {
    const text = readText(`test/unit/${name}.test.ts`);
    t.truthy(text, `test/unit/${name}.test.ts does not exist`);
    t.regex(text ?? '', /\bt\.(?:is|deepEqual|like|true|throws|regex|notThrows)\(/);
  });
}

test('no file that decides is missing from the table', (t) => {
  const known = new Set([...decide, ...PLAIN.map((name) => `runtime/${name}.ts`)]);
  const missing = files.filter(
    (file) => !isWords(file.path) && !holdsOnlyTypes(file.path) && !performs(file.path) && !known.has(file.path),
  );
  t.deepEqual(
    missing.map((file) => file.path),
    [],
  );
});

/** A file reaches out, or calls one that does. Import cycles are refused elsewhere, so this ends. */
function performs(path: string): boolean {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return false;
  return reachesOut(file) || importsOf(file).some((one) => !one.isType && performs(one.of));
}

/** Interfaces, types and constants: no function of its own. */
function holdsOnlyTypes(path: string): boolean {
  const code = onlyCode(files.find((file) => file.path === path)?.text ?? '');
  return !/\bfunction\b|\bclass\b|^(?:export )?const [^\n]*=>/m.test(code);
}

import test from 'ava';
import { importsOf, onlyCode, operatorSources, places, readText, runtimeSources, type Source } from './sources.ts';

/**
 * The files that decide: pure functions over values. They do no I/O, wait for nothing, and each has a unit test of its own name in
 * test/unit. A new one is added here; the last test finds those that are missing.
 */
const DECIDE: Readonly<Record<string, readonly string[]>> = {
  base: ['assert', 'backoff', 'gathered', 'http-header', 'random', 'linked-list', 'log-throttle', 'u32'],
  'base/config': ['nearest', 'quantity'],
  'base/fs': ['disk-space', 'refusal', 'state-error'],
  'base/json': ['json-members', 'json-object'],
  'base/process': ['module-path'],
  model: [
    'attempt-map',
    'detail',
    'durations',
    'hint',
    'hint-settings',
    'output-name',
    'redis-url',
    'request-target',
    'store',
    'tally',
    'timing',
  ],
  settings: ['flag', 'schema', 'timing'],
  format: ['body-bytes', 'content-id', 'line', 'output-line', 'stray-character', 'unwritable'],
  tls: ['authority-pem', 'identity', 'pair'],
  ledger: ['bitmap', 'codec', 'range-page'],
  'ledger/embedded': ['free-pages'],
  'ledger/rules': [
    'attempts',
    'claim',
    'commit',
    'draft',
    'hand-back',
    'lease',
    'order',
    'reassign',
    'reopen',
    'restore',
    'run',
    'scan',
    'second',
    'settle',
    'worker',
  ],
  'ledger/redis': [
    'client-error',
    'commit-parts',
    'commit-reply',
    'failure',
    'findings',
    'group-findings',
    'item-reply',
    'keys',
    'lease-reply',
    'packed-commit',
    'packed-reopening',
    'packed-rows',
    'packed-settles',
    'redirection',
    'refusal',
    'remedy',
    'stored-rows',
    'tls-files',
  ],
  lease: ['machine'],
  'input/file': ['endless-line', 'file-encoding', 'file-form', 'form-text'],
  'input/index': ['entry', 'read-ranges'],
  'results/export': ['answer-notes', 'output-owner'],
  'results/log': ['damage-text', 'read-plan', 'record-check', 'segment', 'shadows'],
  'results/inline': ['limit'],
  'results/place': ['segment-name'],
  'results/verify': ['violations'],
  'run-dir': ['output-mode', 'run-results', 'run-settings', 'standing'],
  rpc: ['access', 'method', 'options', 'stream-kinds'],
  'rpc/mapping': ['beats-mapping', 'columns', 'enums', 'items', 'mapping', 'mapping-run', 'mapping-status', 'whole-ms'],
  'coordinator/dispatch': ['claims', 'isolation', 'picking', 'shares', 'steal', 'second-attempts'],
  'coordinator/items': ['breaker', 'found', 'given-twice', 'judge', 'outcomes', 'poison', 'restore'],
  'coordinator/machine': ['check-state', 'machine'],
  'coordinator/progress': ['ending', 'stall', 'status', 'waits'],
  'coordinator/server': ['health-answer', 'reachable', 'coordinator-status'],
  'coordinator/state': ['fresh-items', 'item-table', 'items', 'mirror', 'queues', 'rows', 'worker', 'workers'],
  'coordinator/workers': ['delivery', 'drain', 'failure', 'hints', 'reading', 'registry', 'sessions'],
  worker: [
    'deadlines',
    'drain',
    'ending',
    'execution',
    'gathering',
    'holding',
    'machine',
    'polling',
    'say',
    'secrets',
    'stage',
    'state',
    'storing',
  ],
  'worker/backends': ['endpoint-url', 'event-stream', 'failure', 'hiding', 'model-choice', 'proxy-choice'],
  'worker/endpoint': [
    'answer-body',
    'answer-shape',
    'away',
    'blame',
    'concurrency',
    'endpoint',
    'load',
    'refusals',
    'retry',
    'server-words',
    'stated-delay',
    'throughput',
  ],
  'worker/heartbeat': ['hang', 'silence'],
  'worker/outbox': ['outcome-frame', 'scan'],
  'worker/session': ['addresses', 'epoch-guard', 'round-time', 'window'],
  cli: ['arguments', 'redis-arguments', 'run-settings'],
  'cli/run': [
    'dry-run-text',
    'found-text',
    'identity-table',
    'identity-verdict',
    'kept-arguments',
    'restart',
    'run-summary',
    'store-outage',
    'supervision',
    'unanswered',
  ],
  'cli/status': ['rate', 'run-status', 'status-text'],
  'cli/verbs': ['drain-text', 'verification-text'],
  'cli/view': ['terminal'],
  'operator/kube': [
    'api-error',
    'deep-freeze',
    'enqueue',
    'event-series',
    'kind',
    'lease-action',
    'list-splitter',
    'micro-time',
    'object',
    'outcome',
    'probes',
    'rate-limit',
    'store',
    'store-index',
    'watch-action',
  ],
};

/** Pure as well, but nothing is decided in them: tables, names, and thin joints that the tests of their users go through. */
const PLAIN: readonly string[] = [
  ...['base/errors', 'base/exit', 'base/config/settings-fields', 'base/config/settings-mistakes'],
  ...['keys', 'list', 'names', 'ranges'].map((name) => `ledger/embedded/${name}`),
  ...['item-verbs', 'names', 'names-table', 'run-verbs'].map((name) => `ledger/redis/${name}`),
  ...['ledger/call-failed', 'ledger/rules/verbs', 'input/index/index-files', 'input/file/input-error'],
  ...[
    'rpc/mapping/field-check',
    'coordinator/perform/loop',
    'coordinator/machine/check-items',
    'coordinator/machine/check-workers',
    'worker/check-state',
    'worker/outbox/failure',
    'worker/endpoint/outage',
    'coordinator/state/item',
    'coordinator/state/commands',
    'worker/heartbeat/loop-lag',
    'cli/deps',
    'cli/exit-codes',
    'cli/option-values',
    'cli/run-options',
    'run-dir/paths',
    'operator/kube/page',
  ],
];

/** What even a deciding file may use of Node and of others: functions of their arguments alone. */
const PURE_PACKAGES = new Set(['node:buffer', 'node:crypto', 'node:path', 'node:url', '@bufbuild/protobuf', 'zod']);

const files = [...runtimeSources(), ...operatorSources()];
const names = Object.entries(DECIDE).flatMap(([folder, own]) => own.map((name) => `${folder}/${name}`));
const decide = new Set(names.map(pathOf));
const deciding = files.filter((file) => decide.has(file.path));

/** Rooms of the runtime are called by their path within it, those of the operator by their whole path. */
function pathOf(name: string): string {
  return name.startsWith('operator/') ? `${name}.ts` : `runtime/${name}.ts`;
}

function isOwn(path: string): boolean {
  return /^(?:runtime|operator)\//.test(path);
}

function isWords(path: string): boolean {
  return /^runtime\/(?:base|model|rpc\/gen)\//.test(path) || path.endsWith('/contract.ts');
}

/** What makes a file more than a decision: waiting, a package that reaches out, the process, or a file that does so. */
function reachesOut(file: Source): boolean {
  const packages = importsOf(file).filter((one) => !one.isType && !isOwn(one.of));
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

test('what takes in a fact takes its state first, the time right behind it, and then what has happened', (t) => {
  const handlers = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export function (on[A-Z]\w*)(?:<[^>]*>)?\(([^)]*\bnowMs: number\b[^)]*)\)/gm)].map(([, name, given = '']) => ({
      place: `${path} ${name}`,
      given: given.replaceAll(/\{[^}]*\}/g, 'state').split(','),
    })),
  );
  t.true(handlers.length >= 25, `only ${handlers.length} were seen`);
  t.deepEqual(
    handlers.filter(({ given }) => given[1]?.trim() !== 'nowMs: number').map(({ place }) => place),
    [],
  );
});

test('no file that decides is missing from the table', (t) => {
  const known = new Set([...decide, ...PLAIN.map(pathOf)]);
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

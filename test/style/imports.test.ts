import test from 'ava';
import { type Import, importsOf, operatorSources, places, runtimeSources } from './sources.ts';

/**
 * The architecture as a table: what the files of a folder may import, beside their own folder and the rooms of `base`. Read from top to
 * bottom, the arrows only point upwards: base <- model <- contract <- decide <- perform <- wire. The folder of a process holds its
 * `main.ts`, which joins the rooms below it, and the nouns that they share.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  'base/config': [],
  'base/fs': [],
  'base/json': [],
  'base/process': [],
  model: [],
  settings: ['model'],
  format: ['model'],
  tls: [],

  ledger: ['model'],
  'ledger/rules': ['model', 'ledger'],
  'ledger/memory': ['model', 'ledger', 'ledger/rules'],
  'ledger/embedded': ['model', 'ledger', 'ledger/rules', 'ledger/memory'],
  'ledger/redis': ['model', 'ledger', 'ledger/rules'],
  lease: ['model', 'ledger'],
  'input/file': ['model'],
  'input/index': ['model', 'format', 'input/file'],
  'run-dir': ['model', 'settings', 'input/file'],
  'results/place': ['model', 'ledger'],
  'results/log': ['model', 'format', 'ledger', 'results/place'],
  'results/inline': ['model', 'ledger', 'ledger/redis', 'results/log', 'results/place'],
  'results/export': ['model', 'format', 'results/log', 'results/place'],
  'results/verify': ['model', 'format', 'results/log', 'results/place', 'input/index'],
  'results/remaining': ['model', 'ledger', 'results/export', 'results/log', 'results/verify'],
  'rpc/mapping': ['model', 'rpc/gen/rollout/v1'],
  rpc: ['model', 'tls', 'rpc/mapping', 'rpc/gen/rollout/v1'],

  'worker/backends': ['model'],
  'worker/endpoint': ['model', 'format', 'worker/backends'],
  'worker/session': ['model', 'rpc'],
  'worker/heartbeat': ['model', 'rpc', 'tls', 'worker/session'],
  'worker/outbox': ['model', 'results/log', 'results/place'],
  worker: [
    ...['model', 'settings', 'format', 'rpc', 'tls', 'run-dir'],
    ...['worker/backends', 'worker/endpoint', 'worker/heartbeat', 'worker/outbox', 'worker/session'],
  ],

  'coordinator/state': ['model', 'ledger'],
  'coordinator/progress': ['model', 'format', 'coordinator/state'],
  'coordinator/items': ['model', 'format', 'ledger', 'coordinator/state', 'coordinator/progress'],
  'coordinator/dispatch': ['model', 'ledger', 'coordinator/state', 'coordinator/items'],
  'coordinator/workers': ['model', ...['state', 'progress', 'items', 'dispatch'].map((room) => `coordinator/${room}`)],
  'coordinator/machine': ['model', ...['state', 'progress', 'items', 'dispatch', 'workers'].map((room) => `coordinator/${room}`)],
  'coordinator/perform': [
    ...['model', 'format', 'rpc', 'lease', 'ledger', 'input/index', 'results/log'],
    ...['state', 'progress', 'items', 'workers', 'machine'].map((room) => `coordinator/${room}`),
  ],
  'coordinator/server': ['model', 'rpc', 'tls', 'coordinator/perform'],
  'coordinator/shutdown': ['model', 'lease', 'ledger', 'run-dir', 'coordinator/state'],
  'coordinator/boot': [
    ...['model', 'format', 'lease', 'ledger', 'input/index', 'results/log', 'results/export', 'results/inline', 'results/place', 'run-dir'],
    ...['coordinator/perform', 'coordinator/server'],
  ],
  coordinator: [
    ...[
      'model',
      'settings',
      'format',
      'lease',
      'ledger',
      'ledger/embedded',
      'ledger/redis',
      'input/file',
      'input/index',
      'results/export',
      'results/inline',
      'results/place',
      'run-dir',
    ],
    ...['state', 'progress', 'perform', 'server', 'shutdown', 'boot'].map((room) => `coordinator/${room}`),
  ],

  'cli/status': [
    'model',
    'ledger',
    'ledger/embedded',
    'ledger/redis',
    'input/index',
    'results/inline',
    'results/log',
    'results/place',
    'rpc',
    'tls',
    'run-dir',
  ],
  'cli/view': ['model', 'cli', 'cli/status'],
  'cli/verbs': [
    ...['model', 'format', 'ledger/redis', 'results/log', 'results/export', 'results/place', 'results/remaining'],
    ...['results/verify', 'tls', 'run-dir', 'cli', 'cli/status', 'cli/view'],
  ],
  'cli/run': [
    ...['model', 'format', 'input/file', 'input/index', 'ledger/redis', 'results/export', 'tls', 'run-dir', 'worker/outbox'],
    ...['cli', 'cli/status', 'cli/verbs', 'cli/view'],
  ],
  'cli/mock-server': ['cli'],
  'cli/results-server': [
    ...['model', 'format', 'input/file', 'results/export', 'results/remaining', 'run-dir', 'coordinator'],
    ...['cli', 'cli/status', 'cli/verbs'],
  ],
  cli: [
    ...['model', 'settings', 'run-dir', 'coordinator', 'worker'],
    ...['cli/mock-server', 'cli/results-server', 'cli/run', 'cli/verbs', 'cli/view'],
  ],

  ...{ 'operator/kube': [], 'operator/api': ['operator/kube'] },
  'operator/nodes': ['operator/kube'],
  'operator/rollout/desired': ['model', 'tls', 'operator/api', 'operator/kube', 'operator/rollout'],
  'operator/rollout/policy': ['model', 'operator/api'],
  'operator/rollout': [
    ...['model', 'rpc', 'tls'],
    ...['operator/api', 'operator/kube', 'operator/nodes', 'operator/rollout/desired', 'operator/rollout/policy'],
  ],
  'operator/metrics': ['tls', 'operator/api', 'operator/kube', 'operator/rollout', 'operator/rollout/desired'],
  operator: ['model', 'ledger/redis', 'operator/api', 'operator/kube', 'operator/metrics', 'operator/nodes', 'operator/rollout'],
  'operator/cli/manifest': ['model', 'format', 'operator/api'],
  'operator/cli': [
    ...['model', 'format', 'input/file', 'input/index', 'cli', 'cli/view'],
    ...['operator/api', 'operator/kube', 'operator/rollout', 'operator/rollout/desired', 'operator/cli/manifest'],
  ],
};

/**
 * Base may name the nouns that it writes down or finds out, but calls nothing of the model: types vanish when built. A room of the
 * coordinator's process may name its settings; a policy of the operator is about what has been seen, and calls nothing that looks.
 */
const ONLY_TYPES: Readonly<Record<string, readonly string[]>> = {
  base: ['model'],
  ...Object.fromEntries(['server', 'boot'].map((room) => [`coordinator/${room}`, ['coordinator']])),
  'operator/nodes': ['model'],
  'operator/metrics': ['model', 'operator/nodes'],
  'operator/rollout/policy': ['operator/rollout', 'operator/rollout/desired'],
  operator: ['operator/rollout/desired'],
};

/** Who may use a package. One that is not here may be used by nobody. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@bufbuild/protobuf': ['rpc', 'rpc/mapping'],
  '@grpc/grpc-js': ['rpc'],
  '@kubernetes/client-node': ['operator/kube', 'operator/cli'],
  '@peculiar/x509': ['tls'],
  'cli-progress': ['cli/view'],
  commander: ['cli', 'cli/run', 'operator/cli'],
  ioredis: ['ledger/redis'],
  lmdb: ['ledger/embedded'],
  pino: ['base'],
  'prom-client': ['operator/kube', 'operator/metrics'],
  'reflect-metadata': ['tls'],
  ulid: ['coordinator/boot', 'cli/run'],
  undici: ['worker/backends'],
  yaml: ['base/config', 'cli', 'cli/run', 'operator/cli', 'operator/cli/manifest'],
  zod: ['base/config', 'model', 'settings', 'run-dir', 'input/file', 'coordinator', 'worker', 'operator'],
};

const files = [...runtimeSources(), ...operatorSources()];
const imports = files.flatMap(importsOf);
/** Rooms of the runtime are called by their path within it, those of the operator by their whole path. */
const folderOf = (path: string): string =>
  path
    .replace(/^runtime\//, '')
    .split('/')
    .slice(0, -1)
    .join('/');
/** Everybody may use the rooms of base, they each other as well; a cycle of files is refused elsewhere. */
const isOfBase = (folder: string): boolean => folder === 'base' || folder.startsWith('base/');
const isOwn = (one: Import): boolean => /^(?:runtime|operator)\//.test(one.of);

test('the table is checked against the tree, not against nothing', (t) => {
  t.true(files.length >= 140, `only ${files.length} files were seen`);
  t.true(imports.filter(isOwn).length >= 500, `only ${imports.filter(isOwn).length} imports were seen`);
  t.deepEqual(
    [...new Set(files.map((file) => folderOf(file.path)))].filter((folder) => FOLDERS[folder] === undefined && folder !== ''),
    [],
  );
});

test('a folder imports only what the architecture allows', (t) => {
  const wrong = imports.filter(isOwn).filter((one) => {
    const [from, of] = [folderOf(one.from), folderOf(one.of)];
    const isAllowed = FOLDERS[from]?.includes(of) === true || isOfBase(of) || (one.isType && ONLY_TYPES[from]?.includes(of) === true);
    return from !== of && !isAllowed;
  });
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('a package is used only where the architecture allows it', (t) => {
  const foreign = imports.filter((one) => !isOwn(one) && !one.of.startsWith('node:'));
  const wrong = foreign.filter((one) => PACKAGES[one.of]?.includes(folderOf(one.from)) !== true);
  t.deepEqual(
    wrong.map((one) => `${one.from} uses ${one.of}`),
    [],
  );
});

test('a contract knows only words: base, model and other contracts', (t) => {
  const wrong = imports.filter(
    (one) => one.from.endsWith('/contract.ts') && !/^runtime\/(base|model)\//.test(one.of) && !one.of.endsWith('/contract.ts'),
  );
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('what a main.ts joins does not import it back; only the verbs of the command line call the mains of the processes', (t) => {
  const wrong = imports.filter((one) => one.of.endsWith('/main.ts') && folderOf(one.from) !== 'cli');
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('runtime knows no operator, no cloud kit and no cluster client', (t) => {
  const wrong = imports.filter(
    (one) => one.from.startsWith('runtime/') && /^operator\/|@kubernetes|aws-sdk|@google-cloud|@azure/.test(one.of),
  );
  t.deepEqual(wrong, []);
});

test('of the wire the operator has what its client needs, and nothing of a server', (t) => {
  const used = imports.filter((one) => one.from.startsWith('operator/') && one.of.startsWith('runtime/rpc/')).map((one) => one.of);
  t.deepEqual([...new Set(used)].toSorted(), ['runtime/rpc/client.ts', 'runtime/rpc/tls.ts']);
});

test('the controller core does not know what it is used for', (t) => {
  const core = files.filter((file) => file.path.startsWith('operator/kube/'));
  t.true(core.length >= 30, `only ${core.length} files were seen`);
  t.deepEqual(
    core.flatMap((file) => places(file, /rollout/i)),
    [],
  );
});

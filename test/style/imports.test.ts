import test from 'ava';
import { type Import, importsOf, runtimeSources } from './sources.ts';

/**
 * The architecture as a table: what the files of a folder may import, beside their own folder. Read from top to bottom, the arrows
 * only point upwards: base <- model <- contract <- decide <- perform <- wire.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],

  ledger: ['base', 'model', 'ledger/transition'],
  'ledger/transition': ['base', 'model', 'ledger'],
  'ledger/embedded': ['base', 'model', 'ledger', 'ledger/transition'],
  lease: ['base', 'model', 'ledger'],
  input: ['base', 'model'],
  results: ['base', 'model', 'ledger', 'input'],
  rpc: ['base', 'model', 'rpc/gen/rollout/v1'],

  'worker/backends': ['base', 'model'],
  'worker/outbox': ['base', 'model', 'results'],
  worker: ['base', 'model', 'input', 'results', 'rpc', 'worker/backends', 'worker/outbox'],
  coordinator: ['base', 'model', 'input', 'results', 'ledger', 'ledger/embedded', 'lease', 'rpc'],
  cli: ['base', 'model', 'input', 'results', 'ledger', 'ledger/embedded', 'rpc', 'coordinator', 'worker', 'worker/outbox'],
};

/** Base may name the nouns that it writes down or finds out, but calls nothing of the model: types vanish when built. */
const ONLY_TYPES: Readonly<Record<string, readonly string[]>> = { base: ['model'] };

/** Who may use a package. One that is not here may be used by nobody. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@bufbuild/protobuf': ['rpc'],
  '@grpc/grpc-js': ['rpc'],
  '@peculiar/x509': ['rpc'],
  'cli-progress': ['cli'],
  commander: ['cli'],
  lmdb: ['ledger/embedded'],
  pino: ['base'],
  'reflect-metadata': ['rpc'],
  ulid: ['coordinator', 'cli'],
  undici: ['worker/backends'],
  yaml: ['base', 'cli'],
  zod: ['base', 'model', 'input', 'coordinator', 'worker'],
};

const files = runtimeSources();
const imports = files.flatMap(importsOf);
const folderOf = (path: string): string => path.split('/').slice(1, -1).join('/');
const isOwn = (one: Import): boolean => one.of.startsWith('runtime/');

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
    const isAllowed = FOLDERS[from]?.includes(of) === true || (one.isType && ONLY_TYPES[from]?.includes(of) === true);
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
  const wrong = imports.filter((one) => /^operator\/|@kubernetes|aws-sdk|@google-cloud|@azure/.test(one.of));
  t.deepEqual(wrong, []);
});

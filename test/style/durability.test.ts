import test from 'ava';
import { lmdbFaults } from './lmdb-options.ts';
import { importsOf, runtimeSources } from './sources.ts';

test('L16: what opens a store says nothing to it that gives up durability, maps for writing or fixes a size', (t) => {
  const opening = runtimeSources().filter((file) => importsOf(file).some((one) => one.of === 'lmdb' && !one.isType));
  t.deepEqual(opening.map(({ path }) => path).toSorted(), ['runtime/ledger/embedded/database.ts']);
  t.deepEqual(
    opening.flatMap((file) => lmdbFaults(file).map((fault) => `${file.path}: ${fault}`)),
    [],
  );
});

const IMPORT = "import { open } from 'lmdb';\n";
const SAFE = 'overlappingSync: false, eventTurnBatching: false';

test('safe options pass, a template with a value in them too', (t) => {
  t.deepEqual(
    lmdbFaults({ path: 'planted.ts', text: `${IMPORT}open({ path: \`\${dir}/store\`, ${SAFE} }).openDB({ name: 'meta' });` }),
    [],
  );
});

/** Each of them opens a store that may lose what it acknowledged. */
const PLANTED: readonly string[] = [
  `${IMPORT}open({ path, ${SAFE}, noSync: true });`,
  `${IMPORT}open({ path: \`\${dir}/store\`, ${SAFE}, noSync: true });`,
  `${IMPORT}open({ path, ${SAFE}, 'noSync': true });`,
  `${IMPORT}open({ path, ${SAFE}, ['noSync']: true });`,
  `${IMPORT}open({ path, ${SAFE}, ['no' + 'Sync']: true });`,
  `${IMPORT}open({ path, ${SAFE}, noSync });`,
  `${IMPORT}open({ path, ${SAFE}, n\\u006fSync: true });`,
  `${IMPORT}open({ path, ${SAFE}, ...more });`,
  `${IMPORT}open(options);`,
  `${IMPORT}open(dir, { ${SAFE}, noSync: true });`,
  `${IMPORT}open({ path, overlappingSync: true, eventTurnBatching: false });`,
  `${IMPORT}open({ path, overlappingSync: !0, eventTurnBatching: false });`,
  `${IMPORT}open({ path, eventTurnBatching: false });`,
  `${IMPORT}open({ path, overlappingSync: false });`,
  `${IMPORT}open({ path, ${SAFE}, commitDelay: 10 });`,
  `${IMPORT}open({ path, ${SAFE}, mapSize: 1024 });`,
  `${IMPORT}open({ path, ${SAFE} }).openDB({ name: 'meta', useWritemap: true });`,
  `${IMPORT}const reopen = open; reopen({ path, noSync: true });`,
  "import { open as begin } from 'lmdb';\nbegin({ path, noSync: true });",
  "import * as lmdb from 'lmdb';\nlmdb.open({ path, noSync: true });",
  "import lmdb from 'lmdb';\nlmdb.open({ path, noSync: true });",
  "const { open } = await import('lmdb');\nopen({ path, noSync: true });",
];

for (const [at, text] of PLANTED.entries()) {
  test(`a planted fault is seen (${at + 1}): ${text.split('\n').at(-1)}`, (t) => {
    t.not(lmdbFaults({ path: 'planted.ts', text }).length, 0);
  });
}

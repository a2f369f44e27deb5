import test from 'ava';
import { importsOf, onlyCode, places, readText, runtimeSources } from './sources.ts';

/**
 * The files that decide: pure functions over values. They do no I/O, wait for nothing, and each has a unit test of its own name.
 * A new one is added here.
 */
const DECIDE: readonly string[] = [
  'base/backoff',
  'ledger/bitmap',
  'ledger/codec',
  'ledger/transition/claim',
  'ledger/transition/draft',
  'ledger/transition/hand-back',
  'ledger/transition/lease',
  'ledger/transition/run',
  'ledger/transition/scan',
  'ledger/transition/settle',
  'ledger/transition/worker',
  'lease/machine',
  'results/segment',
  'input/line',
  'coordinator/machine',
  'worker/machine',
];

/** What even a deciding file may use of Node: functions of their arguments alone. */
const PURE = new Set(['node:buffer', 'node:crypto', 'node:path']);

const files = runtimeSources();
const contracts = files.filter((file) => file.path.endsWith('/contract.ts')).map((file) => file.path);
const decide = new Set(DECIDE.map((name) => `runtime/${name}.ts`));
const deciding = files.filter((file) => decide.has(file.path));

test('every deciding file of the table exists', (t) => {
  t.deepEqual(
    [...decide].filter((path) => !files.some((file) => file.path === path)),
    [],
  );
});

test('a deciding file imports only base, model, contracts and other deciding files', (t) => {
  const wrong = deciding.flatMap(importsOf).filter((one) => {
    const isWords = /^runtime\/(?:base|model)\//.test(one.of) || contracts.includes(one.of) || decide.has(one.of);
    return !isWords && !PURE.has(one.of) && !one.isType;
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

for (const name of DECIDE) {
  test(`${name} has a unit test that asserts something`, (t) => {
    const text = readText(`test/unit/${name}.test.ts`);
    t.truthy(text, `test/unit/${name}.test.ts does not exist`);
    t.regex(text ?? '', /\bt\.(?:is|deepEqual|like|true|throws|regex)\(/);
  });
}

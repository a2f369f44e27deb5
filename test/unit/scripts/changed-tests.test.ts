import test from 'ava';
import { testsOfChange } from '../../../scripts/changed-tests.ts';

const STYLE = 'test/style/rules.test.ts';
const CLAIMS = 'test/unit/coordinator/items/claims.test.ts';
const CLOCK = 'test/unit/base/clock.test.ts';
const LEDGER = 'test/contract/ledger-memory.test.ts';
const TESTS = [LEDGER, STYLE, CLOCK, CLAIMS];

const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  [CLAIMS]: ['runtime/coordinator/items/claims.ts', 'test/support/machine.ts'],
  'test/support/machine.ts': ['runtime/coordinator/machine.ts'],
  'runtime/coordinator/machine.ts': ['runtime/model/row.ts', 'runtime/coordinator/items/claims.ts'],
  'runtime/coordinator/items/claims.ts': ['runtime/coordinator/machine.ts'],
  [LEDGER]: ['test/contract/ledger.suite.ts'],
  'test/contract/ledger.suite.ts': ['runtime/ledger/memory/ledger.ts'],
  'runtime/ledger/memory/ledger.ts': ['runtime/model/row.ts'],
};

const chosen = (...changed: readonly string[]): readonly string[] => testsOfChange(changed, TESTS, (path) => IMPORTS[path] ?? []);

test('a change runs the tests that import what was changed, directly or through others', (t) => {
  t.deepEqual(chosen('runtime/coordinator/items/claims.ts'), [STYLE, CLAIMS]);
  t.deepEqual(chosen('test/support/machine.ts'), [STYLE, CLAIMS]);
  t.deepEqual(chosen('runtime/ledger/memory/ledger.ts'), [LEDGER, STYLE]);
  t.deepEqual(chosen('runtime/model/row.ts'), [LEDGER, STYLE, CLAIMS]);
});

test('a change runs the test that mirrors the changed file, though it imports nothing of it', (t) => {
  t.deepEqual(chosen('runtime/base/clock.ts'), [STYLE, CLOCK]);
});

test('a changed test runs itself, and a changed document the house style alone', (t) => {
  t.deepEqual(chosen(CLOCK), [STYLE, CLOCK]);
  t.deepEqual(chosen('README.md'), [STYLE]);
  t.deepEqual(chosen(), [STYLE]);
});

import test from 'ava';
import type { FileResult } from '../../../scripts/lane-report.ts';
import { bothResults, costliest, filesToRepeat, MOST_REPEATED, slowest, verdictOf } from '../../../scripts/verdict.ts';

const fine: FileResult = { file: 'test/e2e/fine.test.ts', passed: 3, failures: [] };
const bad: FileResult = { file: 'test/e2e/bad.test.ts', passed: 1, failures: ['one', 'two'] };
const lanes = [{ files: [fine, bad], failures: [] }];

test('a failed file that passes alone is flaky, each failed title named, and its second result counts', (t) => {
  const second: FileResult = { ...bad, passed: 3, failures: [] };
  t.deepEqual(verdictOf(lanes, [second]), {
    passed: 6,
    failures: [],
    flaky: ['test/e2e/bad.test.ts › one', 'test/e2e/bad.test.ts › two'],
  });
  t.is(bothResults(bad, second), 'run twice: test/e2e/bad.test.ts: first 1 passed, 2 failed; alone 3 passed, 0 failed');
});

test('a file that fails alone too has failed, with what failed the second time', (t) => {
  const second: FileResult = { ...bad, passed: 2, failures: ['two'] };
  t.deepEqual(verdictOf(lanes, [second]), { passed: 5, failures: ['test/e2e/bad.test.ts › two'], flaky: [] });
});

test('a file that was not run again has failed', (t) => {
  t.deepEqual(verdictOf(lanes, []), { passed: 4, failures: ['test/e2e/bad.test.ts › one', 'test/e2e/bad.test.ts › two'], flaky: [] });
});

test('what failed outside of any file is never forgiven', (t) => {
  const crashed = [{ files: [fine], failures: ['ava ended with a failure and named none: exit 1'] }];
  t.deepEqual(verdictOf(crashed, []).failures, ['ava ended with a failure and named none: exit 1']);
});

test('each failed file is run once more, but not so many that the run would take twice as long', (t) => {
  t.deepEqual(filesToRepeat([fine, bad]), [bad.file]);
  const many = Array.from({ length: MOST_REPEATED + 1 }, (_, at) => ({ ...bad, file: `test/e2e/${at}.test.ts` }));
  t.is(filesToRepeat(many.slice(1)).length, MOST_REPEATED);
  t.deepEqual(filesToRepeat(many), []);
});

const took = new Map([
  ['test/e2e/a.test.ts', { wallMs: 1_000, cpuMs: 3_000 }],
  ['test/e2e/b.test.ts', { wallMs: 65_000, cpuMs: 12_000 }],
  ['test/sim/c.test.ts', { wallMs: 2_000, cpuMs: 2_000 }],
]);

test('the slowest files come first, with their CPU time', (t) => {
  t.deepEqual(slowest(took, 2), ['slow:   65 s,   12 s of CPU  test/e2e/b.test.ts', 'slow:    2 s,    2 s of CPU  test/sim/c.test.ts']);
});

test('the CPU time is told of each folder, and of the files that took most of it', (t) => {
  t.deepEqual(costliest(took, 2), [
    'CPU:   15 s  test/e2e',
    'CPU:    2 s  test/sim',
    'CPU:   12 s  test/e2e/b.test.ts',
    'CPU:    3 s  test/e2e/a.test.ts',
  ]);
});

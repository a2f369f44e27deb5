import test from 'ava';
import { LaneReport } from '../../../scripts/lane-report.ts';
import type { TapEvent } from '../../../scripts/tap.ts';

const A = 'test/unit/a.test.ts';
const B = 'test/unit/b.test.ts';
const C = 'test/unit/c.test.ts';

const passed = (title: string): TapEvent => ({ kind: 'passed', title });
const failed = (title: string): TapEvent => ({ kind: 'failed', title, details: [] });
const CLOSED: TapEvent = { kind: 'closed' };

function reportOf(events: readonly TapEvent[], isSuccess: boolean, files: readonly string[] = [A, B, C]): LaneReport {
  const report = new LaneReport(files);
  for (const event of events) report.onEvent(event);
  report.onEnd(files, isSuccess, isSuccess ? 'exit 0' : 'exit 1');
  report.onLast();
  return report;
}

const failuresOf = (report: LaneReport): readonly string[] => {
  const { files, failures } = report.result();
  return [...failures, ...files.flatMap((file) => file.failures.map((failure) => `${file.file} › ${failure}`))];
};

test('passed and failed tests are counted for their files', (t) => {
  const report = reportOf([passed('a › one'), failed('a › two'), passed('b › one'), passed('c › one'), CLOSED], false);
  t.deepEqual(report.result(), {
    files: [
      { file: A, passed: 1, failures: ['two'] },
      { file: B, passed: 1, failures: [] },
      { file: C, passed: 1, failures: [] },
    ],
    failures: [],
  });
});

test('a file of which nothing was heard has failed, by name, whatever else failed', (t) => {
  t.deepEqual(failuresOf(reportOf([passed('a › one'), failed('b › one'), CLOSED], false)), [
    `${B} › one`,
    `${C} › nothing was heard of it`,
  ]);
  t.deepEqual(failuresOf(reportOf([passed('a › one'), passed('b › one'), CLOSED], true)), [`${C} › nothing was heard of it`]);
});

test('a report that is not whole failed in the middle of the file heard of last', (t) => {
  const report = reportOf([passed('a › one'), failed('a › two'), passed('b › one')], false);
  t.deepEqual(failuresOf(report), [`${A} › two`, `${B} › ava ended in the middle of it: exit 1`, `${C} › nothing was heard of it`]);
  t.false(report.isClosed());
});

test('a report that ends before anything was heard failed in the first file that was given', (t) => {
  const report = new LaneReport([A, B, C]);
  report.onStart();
  report.onEvent(passed('a › one'));
  report.onEnd([A, B, C], false, 'exit 1');
  report.onStart();
  report.onEnd([B, C], false, 'SIGKILL');
  t.deepEqual(report.resultOf(B).failures, ['ava ended in the middle of it: SIGKILL']);
  t.deepEqual(report.unheard(), [C]);
});

test('tests that a file never came to are its failure', (t) => {
  const report = reportOf(
    [passed('a › one'), { kind: 'remaining', file: A, count: 2 }, passed('b › one'), passed('c › one'), CLOSED],
    true,
  );
  t.deepEqual(failuresOf(report), [`${A} › 2 of its tests never ended`]);
});

test('a skipped test is a failure', (t) => {
  const report = reportOf([{ kind: 'skipped', title: 'a › one' }, passed('b › one'), passed('c › one'), CLOSED], true);
  t.deepEqual(failuresOf(report), [`${A} › one (skipped or only planned: every test runs)`]);
});

test('a crash without a name belongs to the file that the next line names', (t) => {
  const exited = failed(`${B} exited with a non-zero exit code: 1`);
  const report = reportOf([passed('a › one'), failed('Error: at load'), exited, passed('c › one'), CLOSED], false);
  t.deepEqual(failuresOf(report), [`${B} › Error: at load`, `${B} › ${B} exited with a non-zero exit code: 1`]);
});

test('a file without a test is named by ava, and has failed', (t) => {
  const report = reportOf([failed(`No tests found in ${A}`), passed('b › one'), passed('c › one'), CLOSED], false);
  t.deepEqual(report.resultOf(A), { file: A, passed: 0, failures: [`No tests found in ${A}`] });
});

test('an ava that ends with a failure and names none has failed', (t) => {
  const report = reportOf([passed('a › one'), passed('b › one'), passed('c › one'), CLOSED], false);
  t.deepEqual(failuresOf(report), ['ava ended with a failure and named none: exit 1']);
});

test('of a file alone, whatever failed is the failure of that file', (t) => {
  const report = reportOf([passed('one'), CLOSED], false, [A]);
  t.deepEqual(report.result(), {
    files: [{ file: A, passed: 1, failures: ['ava ended with a failure and named none: exit 1'] }],
    failures: [],
  });
});

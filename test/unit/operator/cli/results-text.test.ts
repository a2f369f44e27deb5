import test from 'ava';
import type { RolloutRun } from '../../../../operator/api/run.ts';
import { recordedText, resultsRefusal } from '../../../../operator/cli/results-text.ts';
import { conditionsOf, runOf } from '../../../support/operator/run-world.ts';

const WHOLE = { errors: false, verify: true, partial: false, remaining: false, failed: false };
const PART = { ...WHOLE, partial: true };
const LEFT = { ...WHOLE, remaining: true };

const counts = { progress: '3/10', items: { total: 10, done: 2, failed: 1, running: 4 } };
const running = runOf({}, { ...counts, phase: 'Running', conditions: conditionsOf({}) });
const suspended = runOf({ suspend: true }, { ...counts, phase: 'Suspended', conditions: conditionsOf({ Suspended: 'True' }) });
const failed = runOf({}, { ...counts, phase: 'Failed', conditions: conditionsOf({ Complete: 'False', Failed: 'True' }) });
const complete = runOf({}, { ...counts, phase: 'Complete', conditions: conditionsOf({ Complete: 'True', Failed: 'False' }) });
const fresh: RolloutRun = runOf();

test('a complete run has results, and lines that failed', (t) => {
  for (const args of [WHOLE, PART, LEFT, { ...WHOLE, failed: true }]) t.is(resultsRefusal(complete, args), null);
});

test('of a run that has failed, or is suspended, what is recorded is given to those who ask for that', (t) => {
  for (const run of [failed, suspended]) {
    t.is(resultsRefusal(run, PART), null);
    t.is(resultsRefusal(run, LEFT), null);
    t.is(resultsRefusal(run, { ...LEFT, failed: true }), null);
    t.is(resultsRefusal(run, { ...PART, errors: true }), null);
    t.regex(resultsRefusal(run, WHOLE) ?? '', /--partial writes what it has recorded, and --remaining the lines/);
  }
  t.regex(resultsRefusal(failed, WHOLE) ?? '', /^answers has failed \(Because: of that\)/);
  t.regex(resultsRefusal(suspended, WHOLE) ?? '', /^answers is suspended \(Suspended, 3\/10\)/);
});

test('a run that goes on is suspended first, or waited for', (t) => {
  for (const run of [running, fresh]) {
    for (const args of [PART, LEFT]) t.regex(resultsRefusal(run, args) ?? '', /`kubectl rollout-run suspend answers -n team --wait`/);
    t.regex(resultsRefusal(run, WHOLE) ?? '', /`kubectl wait --for=condition=Complete rrun\/answers -n team --timeout=-1s`/);
  }
});

test('results and lines of the list are not asked for at once', (t) => {
  for (const more of [{ partial: true }, { errors: true }]) t.regex(resultsRefusal(complete, { ...LEFT, ...more }) ?? '', /ask for one$/);
});

test('how many of how many are recorded, and what is damaged', (t) => {
  t.deepEqual(recordedText(failed, { done: 2, failed: 1, lost: 0 }), [
    'answers: 3 of 10 items are recorded, 2 with a result and 1 as failed',
  ]);
  t.deepEqual(recordedText(fresh, { done: 0, failed: 0, lost: 2 }), [
    'answers: 0 of ? items are recorded, 0 with a result and 0 as failed',
    'answers: NOT all: of 2 more the record is damaged or gone',
  ]);
});

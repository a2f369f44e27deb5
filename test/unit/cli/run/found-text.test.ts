import test from 'ava';
import { type Found, finishedText, foundText, nothingToRetry, retryHint, retryText } from '../../../../runtime/cli/run/found-text.ts';

function found(change: Partial<Found> = {}, paused?: string): Found {
  const state = paused === undefined ? ({ kind: 'running' } as const) : ({ kind: 'paused', reason: paused } as const);
  const progress = { state, epoch: 2, cursor: 60, running: 5, handedBack: 1, done: 40, failed: 2, redone: 0 };
  return { stateDir: 'out.rollout', progress, items: 100, invalid: 0, waiting: new Map(), ...change };
}

test('an unfinished run is told by what is recorded and what is to do', (t) => {
  t.deepEqual(foundText(found()), ['Found an unfinished run in out.rollout: 42 recorded (40 done, 2 failed), 58 to do.', 'Going on.']);
});

test('a paused run names its reason, and outcomes that wait in worker stores are counted', (t) => {
  const text = foundText(
    found(
      {
        waiting: new Map([
          ['w1', 3],
          ['w4', 1],
        ]),
      },
      '20 answers 401 in a row',
    ),
  ).join('\n');
  t.regex(text, /It was paused: 20 answers 401 in a row/);
  t.regex(text, /4 finished outcomes not known to be recorded, in the store of w1, w4/);
});

test('a run whose input was not indexed to its end promises no number', (t) => {
  t.regex(foundText(found({ items: null })).join('\n'), /42 recorded \(40 done, 2 failed\), the input was not indexed to its end yet/);
});

test('a finished run says that nothing was executed, and how to run it again', (t) => {
  const text = finishedText(found(), 'out', 'out.errors.jsonl').join('\n');
  t.regex(text, /finished: 40 done, 2 failed. Nothing was executed/);
  t.regex(text, /--fresh/);
});

test('a retry is offered where a failed line may succeed, and lines that are no items are counted', (t) => {
  t.deepEqual(retryHint(0, 0), []);
  t.deepEqual(retryHint(2, 2), []);
  t.deepEqual(retryHint(2, null), ['failed lines again: rollout retry --failed, with the arguments of this command']);
  t.deepEqual(retryHint(3, 1), [
    'failed lines again: rollout retry --failed, with the arguments of this command (1 line is no item and stays)',
  ]);
});

test('a retry says what runs again, and what does not', (t) => {
  t.is(retryText(found()), '2 failed lines run again.');
  t.is(retryText(found({ invalid: 1 })), '1 failed line runs again; 1 line is no item and would fail again.');
});

test('a retry of a finished run without a failed item says so, and what to do about bad lines', (t) => {
  t.deepEqual(nothingToRetry('out.rollout', 0), ['No item of the run in out.rollout has failed. Nothing was executed.']);
  t.regex(nothingToRetry('out.rollout', 5).join('\n'), /^5 bad lines are not run again; correct them in the input/);
  t.regex(nothingToRetry('out.rollout', 1).join('\n'), /^1 bad line is not run again; correct it in the input/);
});

import test from 'ava';
import { endingText, endJson, endReason, endText, type RunEnd } from '../../../../runtime/cli/run/run-summary.ts';

function end(change: Partial<RunEnd>): RunEnd {
  const files = { output: 'out', errors: 'out.errors.jsonl', stateDir: 'out.rollout' };
  return {
    exit: 0,
    epoch: 1,
    done: 40,
    failed: 2,
    notes: null,
    items: 100,
    invalid: 0,
    reason: '',
    isOverLimit: false,
    seconds: 61,
    ...files,
    logLines: [],
    logFile: null,
    ...change,
  };
}

test('a finished run names both files, counts, duration and the proof', (t) => {
  const text = endText(end({ exit: 1 })).join('\n');
  for (const part of [
    '1 min 1 s',
    '40 done, 2 failed',
    'results: out',
    'errors:  out.errors.jsonl',
    'rollout verify --state out.rollout',
  ]) {
    t.true(text.includes(part), part);
  }
});

test('answers that ended at the token limit or have no text are results, and told', (t) => {
  const noted = end({ notes: { atTokenLimit: 3, emptyText: 1 } });
  t.true(endText(noted).includes('Among the results: 3 ended at the token limit (finish_reason: length), 1 without a text.'));
  t.like(endJson(noted), { atTokenLimit: 3, emptyText: 1 });
  t.false(
    endText(end({ notes: { atTokenLimit: 0, emptyText: 0 } }))
      .join()
      .includes('Among'),
  );
});

test('an interrupted run says that progress is kept, how to go on, and how to have what is there', (t) => {
  const text = endText(end({ exit: 130 })).join('\n');
  t.regex(text, /progress is kept, 42 recorded \(40 done, 2 failed\), 58 to do/);
  t.regex(text, /the same command again/);
  t.regex(text, /export --partial --state out\.rollout/);
});

test('a paused run says why and what to do', (t) => {
  const text = endText(end({ exit: 5, reason: '20 answers 401 in a row', items: null })).join('\n');
  t.regex(text, /paused: 20 answers 401 in a row/);
  t.regex(text, /\(address, key, model, quota; another model needs --force too\)/);
  t.regex(endText(end({ exit: 5, done: 0, failed: 0 })).join(), /\(address, key, model, quota\)/);
  t.regex(text, /to go on: {7}the same command again/);
});

test('where a process gave up its last log lines are shown, with where the log is', (t) => {
  for (const exit of [2, 3, 4] as const) {
    const text = endText(end({ exit, logLines: ['disk is full'], logFile: 'logs/coordinator.log' })).join('\n');
    t.regex(text, /disk is full/);
    t.regex(text, /logs\/coordinator\.log/);
  }
});

test('a run whose workers were all told to leave says so', (t) => {
  t.regex(endText(end({ exit: 4 })).join('\n'), /has stopped, since every worker was told to leave\.\nprogress is kept/);
});

test('the JSON form has the exit code, the counts and the paths', (t) => {
  t.like(endJson(end({ exit: 1 })), { kind: 'ended', exit: 1, done: 40, failed: 2, output: 'out', errors: 'out.errors.jsonl' });
});

test('a run that has stalled says why in its summary, and while it ends what it waits for', (t) => {
  const reason = 'no item has ended within --stall-timeout: 80 items are being executed, and none has ended';
  const text = endText(end({ exit: 4, reason, logFile: 'logs/coordinator.log' })).join('\n');
  t.true(text.includes(`The run has stopped: ${reason}.\nprogress is kept, 42 recorded`), text);
  const ending = { exit: 4, reason, inFlight: 80, drainTimeout: '20s' } as const;
  t.deepEqual(endingText(ending), [`The run ends: ${reason}; waiting up to 20s for 80 items in flight.`]);
  t.deepEqual(endingText({ ...ending, reason: '', inFlight: 1 }), ['The run ends: waiting up to 20s for 1 item in flight.']);
  t.deepEqual(endingText({ ...ending, exit: 0 }), []);
});

test('the reason that is kept is what the coordinator said, or else the last line of the log of the process that gave up', (t) => {
  t.is(endReason(end({ exit: 4, reason: 'no item has ended', logLines: ['x'] })), 'no item has ended');
  t.is(endReason(end({ exit: 4, logLines: ['asked again', 'the server was not there'] })), 'the server was not there');
  t.is(endReason(end({ exit: 4 })), 'every worker was told to leave');
});

test('an input without lines is said to be one', (t) => {
  t.regex(endText(end({ exit: 0, done: 0, failed: 0 })).join('\n'), /The input has no lines/);
  t.notRegex(endText(end({ exit: 0, done: 1, failed: 0 })).join('\n'), /no lines/);
});

test('a run that is paused over its limit of failed items names the limit with which it goes on', (t) => {
  const text = endText(end({ exit: 5, failed: 7, isOverLimit: true, reason: '6 items have failed, and 2 may' })).join('\n');
  t.regex(text, /to go on: {7}the same command with --max-failed above 7/);
  t.notRegex(text, /Correct what/);
});

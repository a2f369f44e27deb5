import test from 'ava';
import { onAnswer, onNoAnswer, type Unanswered } from '../../../../runtime/cli/run/unanswered.ts';

const START: Unanswered = { answeredMs: 1_000, told: null };

test('a coordinator that does not answer for long is told once, with its log, and so is its return', (t) => {
  const early = onNoAnswer(START, 15_999, 'c.log', null);
  t.is(early.notice, null);
  const told = onNoAnswer(early.next, 16_000, 'c.log', null);
  t.regex(String(told.notice), /^The coordinator has not answered for 15 s: c\.log may say why/);
  const still = onNoAnswer(told.next, 90_000, 'c.log', null);
  t.is(still.notice, null);
  const back = onAnswer(still.next, 91_000);
  t.is(back.notice, 'The coordinator answers again.');
  t.deepEqual(back.next, { answeredMs: 91_000, told: null });
});

test('short silences, as between two coordinators, are not worth a word', (t) => {
  const { next, notice } = onAnswer(onNoAnswer(START, 9_000, 'c.log', null).next, 9_500);
  t.is(notice, null);
  t.is(onNoAnswer(next, 24_000, 'c.log', null).notice, null);
  t.not(onNoAnswer(next, 24_500, 'c.log', null).notice, null);
});

const EXPIRED = '127.0.0.1:7: UNAVAILABLE: certificate is not yet valid';

test('a known cause is told soon, without the advice to kill anything, and again each minute', (t) => {
  t.is(onNoAnswer(START, 5_500, 'c.log', EXPIRED).notice, null);
  const told = onNoAnswer(START, 6_000, 'c.log', EXPIRED);
  t.regex(String(told.notice), /has not answered for 5 s, at 127\.0\.0\.1:7: UNAVAILABLE: certificate is not yet valid/);
  t.notRegex(String(told.notice), /kill/);
  t.is(onNoAnswer(told.next, 30_000, 'c.log', EXPIRED).notice, null);
  t.not(onNoAnswer(told.next, 66_000, 'c.log', EXPIRED).notice, null);
});

test('an answer that did not come in time is no cause: the process may hang', (t) => {
  const told = onNoAnswer(START, 20_000, 'c.log', '127.0.0.1:7: DEADLINE_EXCEEDED: Deadline exceeded after 2s');
  t.regex(String(told.notice), /hangs, kill it/);
});

test('where the cause changes it is told', (t) => {
  const told = onNoAnswer(START, 20_000, 'c.log', null);
  t.regex(String(onNoAnswer(told.next, 20_500, 'c.log', EXPIRED).notice), /not yet valid/);
});

test('what is told is an event too: the cause, for how long, and that it answers again', (t) => {
  const told = onNoAnswer(START, 6_000, 'c.log', EXPIRED);
  t.deepEqual(told.event, { kind: 'coordinator_silent', reason: EXPIRED, silentMs: 5_000 });
  t.is(onNoAnswer(told.next, 30_000, 'c.log', EXPIRED).event, null);
  t.deepEqual(onAnswer(told.next, 31_000).event, { kind: 'coordinator_answers', silentMs: 30_000 });
  t.is(onAnswer(START, 2_000).event, null);
});

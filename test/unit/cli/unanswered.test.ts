import test from 'ava';
import { onAnswer, onNoAnswer, type Unanswered } from '../../../runtime/cli/unanswered.ts';

const START: Unanswered = { answeredMs: 1_000, isTold: false };

test('a coordinator that does not answer for long is told once, with its log, and so is its return', (t) => {
  const early = onNoAnswer(START, 15_999, 'c.log');
  t.is(early.notice, null);
  const told = onNoAnswer(early.next, 16_000, 'c.log');
  t.regex(String(told.notice), /^The coordinator has not answered for 15 s: c\.log may say why/);
  const still = onNoAnswer(told.next, 90_000, 'c.log');
  t.is(still.notice, null);
  const back = onAnswer(still.next, 91_000);
  t.is(back.notice, 'The coordinator answers again.');
  t.deepEqual(back.next, { answeredMs: 91_000, isTold: false });
});

test('short silences, as between two coordinators, are not worth a word', (t) => {
  const { next, notice } = onAnswer(onNoAnswer(START, 9_000, 'c.log').next, 9_500);
  t.is(notice, null);
  t.is(onNoAnswer(next, 24_000, 'c.log').notice, null);
  t.not(onNoAnswer(next, 24_500, 'c.log').notice, null);
});

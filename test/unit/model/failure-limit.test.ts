import test from 'ava';
import { isOverLimit, overLimit, parseFailureLimit } from '../../../runtime/model/failure-limit.ts';

test('a limit is a number of items, or a share of all', (t) => {
  t.deepEqual(parseFailureLimit('0'), { kind: 'items', items: 0 });
  t.deepEqual(parseFailureLimit('250'), { kind: 'items', items: 250 });
  t.deepEqual(parseFailureLimit('5%'), { kind: 'share', percent: 5 });
  t.deepEqual(parseFailureLimit('0.5%'), { kind: 'share', percent: 0.5 });
  for (const text of ['', '%', '-1', '1.5', '101%', '5 %', 'five', '1e3']) t.is(parseFailureLimit(text), null, text);
});

test('a run may go on up to its limit, and not beyond', (t) => {
  const ten = { kind: 'items', items: 10 } as const;
  t.is(overLimit(ten, 10, null), null);
  t.regex(overLimit(ten, 11, null) ?? '', /^11 items have failed, and 10 may: /);
  t.regex(overLimit({ kind: 'items', items: 0 }, 1, 5) ?? '', /^1 items have failed, and 0 may/);
  t.is(overLimit(null, 1_000, 1_000), null);
});

test('a share counts once it is known of how many', (t) => {
  const share = { kind: 'share', percent: 5 } as const;
  t.is(overLimit(share, 50, null), null);
  t.is(overLimit(share, 5, 100), null);
  t.regex(overLimit(share, 6, 100) ?? '', /5% of 100/);
});

test('the words of a limit that is passed are told from others', (t) => {
  for (const reason of [overLimit({ kind: 'items', items: 10 }, 11, null), overLimit({ kind: 'share', percent: 5 }, 6, 100)]) {
    t.true(isOverLimit(reason ?? ''), reason ?? '');
    t.true(isOverLimit(`the run is paused: ${reason}`));
  }
  for (const other of ['', '3 items have failed', 'every server refuses: look at the errors of failed items'])
    t.false(isOverLimit(other), other);
});

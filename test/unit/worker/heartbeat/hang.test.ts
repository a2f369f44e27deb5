import test from 'ava';
import { isHung, onSample, type Watched } from '../../../../runtime/worker/heartbeat/hang.ts';

const INTERVAL_MS = 500;
const FRESH: Watched = { lastSeenMs: 0, atMs: 0, stuckMs: 0 };

/** One sample in each interval, unless another gap is given; each sees this mark. */
function samples(marks: readonly number[], gapMs = INTERVAL_MS): Watched {
  return marks.reduce((watched, mark) => onSample(watched, watched.atMs + gapMs, mark, INTERVAL_MS), FRESH);
}

test('a loop whose mark does not move for the whole limit hangs; one that moves now and then is only slow', (t) => {
  t.false(isHung(samples([5, 5, 5]), 1_500));
  t.true(isHung(samples([5, 5, 5, 5]), 1_500));
  t.false(isHung(samples([5, 5, 5, 9, 9]), 1_500));
});

test('a process that was stopped as a whole is no hung one, however long it was', (t) => {
  t.false(isHung(samples([5, 5], 3_600_000), 1_500));
});

test('beats in quick succession, while no coordinator answers, do not make the limit shorter', (t) => {
  const many = Array.from({ length: 100 }, () => 5);
  t.false(isHung(samples(many, 10), 1_500));
  t.true(isHung(samples([...many, ...many], 10), 1_500));
});

import test from 'ava';
import { isHung, onGlance, type Watched } from '../../../runtime/worker/hang.ts';

const FRESH: Watched = { lastSeenMs: 0, stuckBeats: 0 };

function glances(...marks: readonly number[]): Watched {
  return marks.reduce(onGlance, FRESH);
}

test('R36: a loop whose mark does not move for the whole limit hangs; one that moves now and then is only slow', (t) => {
  t.false(isHung(glances(5, 5, 5), 500, 1_500));
  t.true(isHung(glances(5, 5, 5, 5), 500, 1_500));
  t.false(isHung(glances(5, 5, 5, 9, 9), 500, 1_500));
});

test('R36: what counts is the beats, not the time: a stopped process is no hung one', (t) => {
  t.false(isHung(glances(5, 5), 500, 60_000));
});

import test from 'ava';
import {
  MAX_ROUND_MS,
  NO_ROUND,
  onArrived,
  onAsked,
  onNewSession,
  type RoundTime,
  roundMs,
} from '../../../../runtime/worker/session/round-time.ts';

/** Rounds that took so long, one after the other. */
function rounds(...tookMs: readonly number[]): RoundTime {
  return tookMs.reduce((time, ms) => onArrived(onAsked(time, 100, 0, 1), 100 + ms, 1), NO_ROUND);
}

test('nothing is known before the first round', (t) => {
  t.is(roundMs(NO_ROUND), 0);
  t.is(roundMs(onArrived(NO_ROUND, 10, 3)), 0, 'nobody had asked');
});

test('the estimate is that of RFC 6298: the smoothed time and four deviations', (t) => {
  t.is(roundMs(rounds(40)), 40 + 4 * 20);
  t.is(roundMs(rounds(40, 80)), 45 + 4 * 25);
  const steady = roundMs(rounds(...Array.from({ length: 60 }, () => 40)));
  t.true(steady >= 40 && steady < 41, `${steady}`);
});

test('a round ends with the first item that was not asked for before it', (t) => {
  const asked = onAsked(NO_ROUND, 100, 5, 8);
  const some = onArrived(asked, 110, 5);
  t.is(roundMs(some), 0, 'the five had been asked for before');
  t.is(roundMs(onArrived(some, 130, 1)), 3 * 30);
});

test('one request is timed at a time, and only one for more', (t) => {
  t.is(onAsked(NO_ROUND, 100, 5, 5), NO_ROUND);
  const asked = onAsked(NO_ROUND, 100, 0, 4);
  t.is(onAsked(asked, 190, 4, 8), asked);
  t.is(roundMs(onArrived(asked, 200, 1)), 300);
});

test('a request that is taken back, or belongs to an older session, is not timed', (t) => {
  const asked = onAsked(NO_ROUND, 100, 4, 8);
  t.is(onAsked(asked, 150, 8, 0).timed, null);
  t.is(onNewSession(asked).timed, null);
  t.deepEqual(onAsked(onAsked(asked, 150, 8, 2), 160, 2, 3).timed, { atMs: 160, left: 3 });
});

test('a round without anything to give says nothing', (t) => {
  t.is(roundMs(rounds(40, MAX_ROUND_MS + 1)), roundMs(rounds(40)));
  t.is(roundMs(rounds(MAX_ROUND_MS)), MAX_ROUND_MS, 'the estimate is never longer');
});

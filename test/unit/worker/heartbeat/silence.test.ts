import test from 'ava';
import {
  CALM_MS,
  isTooLong,
  MAX_SILENCE_MS,
  newSilence,
  onGivenUp,
  onHeard,
  onWaited,
  type Silence,
} from '../../../../runtime/worker/heartbeat/silence.ts';

const INTERVAL_MS = 500;

function waited(silence: Silence, ms: number): Silence {
  return onWaited(silence, ms, INTERVAL_MS);
}

test('six intervals without a word are borne, not more', (t) => {
  const silence = waited(newSilence(INTERVAL_MS), 6 * INTERVAL_MS);
  t.false(isTooLong(silence));
  t.true(isTooLong(waited(silence, 1)));
});

test('any word ends the silence', (t) => {
  const silence = onHeard(waited(newSilence(INTERVAL_MS), 6 * INTERVAL_MS));
  t.false(isTooLong(waited(silence, 6 * INTERVAL_MS)));
});

test('after a stream was given up the next is borne with for twice as long, up to a bound', (t) => {
  let silence = newSilence(INTERVAL_MS);
  for (const limitMs of [6_000, 12_000, 24_000, 48_000, MAX_SILENCE_MS, MAX_SILENCE_MS]) {
    silence = onGivenUp(silence);
    t.is(silence.limitMs, limitMs);
    t.is(silence.silentMs, 0);
  }
});

test('the usual limit holds again once the way has been calm for long enough; a long silence in between starts the count again', (t) => {
  const slow = onGivenUp(newSilence(INTERVAL_MS));
  const almost = onHeard(waited(slow, CALM_MS - 1));
  t.is(almost.limitMs, 6_000, 'one silence as long as this is not calm');
  let silence = slow;
  for (let ms = 0; ms < CALM_MS - 1_000; ms += 1_000) silence = onHeard(waited(silence, 1_000));
  t.is(silence.limitMs, 6_000);
  t.is(waited(silence, 1_000).limitMs, 3_000);
  t.is(onHeard(waited(silence, 3_001)).calmMs, 0);
});

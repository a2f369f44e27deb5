import test from 'ava';
import { RateLimit } from '../../../../operator/kube/rate-limit.ts';

const LIMITS = { baseMs: 5, maxMs: 1_000, perSecond: 10, burst: 100 };

test('each failure of a key doubles its wait, up to the longest', (t) => {
  const rate = new RateLimit(LIMITS);
  const waits = Array.from({ length: 10 }, () => rate.delayMs('a', 0));
  t.deepEqual(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
  t.is(rate.failures('a'), 10);
});

test('a key that has failed for ever waits the longest time, not none', (t) => {
  const rate = new RateLimit({ ...LIMITS, burst: 1e9 });
  for (let at = 0; at < 5_000; at += 1) rate.delayMs('a', 0);
  t.is(rate.delayMs('a', 0), 1_000);
});

test('keys wait by their own failures, and a success ends them', (t) => {
  const rate = new RateLimit(LIMITS);
  for (let at = 0; at < 5; at += 1) rate.delayMs('a', 0);
  t.is(rate.delayMs('b', 0), 5);
  rate.forget('a');
  t.is(rate.failures('a'), 0);
  t.is(rate.delayMs('a', 0), 5);
});

test('all keys together come no faster than ten a second, once a hundred have come', (t) => {
  const rate = new RateLimit(LIMITS);
  const waits = Array.from({ length: 103 }, (_, at) => rate.delayMs(`key-${at}`, 0));
  t.true(waits.slice(0, 100).every((wait) => wait === 5));
  t.deepEqual(waits.slice(100), [100, 200, 300]);
});

test('what was promised is paid back by time, and never more than the burst is saved', (t) => {
  const rate = new RateLimit({ ...LIMITS, burst: 2 });
  for (const key of ['a', 'b', 'c']) rate.delayMs(key, 0);
  t.is(rate.delayMs('d', 100), 100);
  t.is(rate.delayMs('e', 1_000), 5);
  rate.delayMs('f', 3_600_000);
  rate.delayMs('g', 3_600_000);
  t.is(rate.delayMs('h', 3_600_000), 100);
});

import test from 'ava';
import { NO_ROUND } from '../../../../runtime/worker/session/round-time.ts';
import {
  addEnded,
  addLine,
  type Credit,
  MARGIN_MS,
  MAX_WAIT_MS,
  MAX_WAITING_BYTES,
  MAX_WINDOW,
  newCredit,
  newPace,
  passSlotTime,
  windowSize,
} from '../../../../runtime/worker/session/window.ts';

/** Items that took so long each, and rounds of 50 ms. */
function credit(itemMs: number, roundMs = 50): Credit {
  return { pace: { slotMs: itemMs * 64, ended: 64, atMs: 0 }, round: { ...NO_ROUND, smoothedMs: roundMs }, lineBytes: 400 };
}

test("Little's law: as many as end in a round and a margin", (t) => {
  t.is(windowSize(credit(2_000), 8, null), Math.ceil((8 * (50 + MARGIN_MS)) / 2_000));
  t.is(windowSize(credit(50), 3, null), Math.ceil((3 * (50 + MARGIN_MS)) / 50));
  t.true(windowSize(credit(2_000, 900), 8, null) > windowSize(credit(2_000), 8, null), 'longer rounds need more');
});

test('quick items are held by the thousand, and no more', (t) => {
  t.is(windowSize(credit(0), 64, null), MAX_WINDOW);
  t.is(windowSize(credit(1), 4_096, null), 4_096, 'of many slots, each has one');
});

test('nothing is held that could not start within seconds', (t) => {
  t.is(windowSize(credit(60_000), 64, null), 2);
  t.true((windowSize(credit(60_000), 64, null) * 60_000) / 64 <= MAX_WAIT_MS);
  t.is(windowSize(credit(600_000), 64, null), 0);
  t.is(windowSize(credit(60_000), 1, null), 0);
});

test('a slot that would be empty for a hundredth of the time is worth an item, however long that waits', (t) => {
  t.is(windowSize(credit(5_100), 1, null), 0);
  t.is(windowSize(credit(5_100, 60), 1, null), 1);
});

test('before anything has ended a quarter of the slots is held, or what is configured', (t) => {
  t.is(windowSize(newCredit(0), 64, null), 16);
  t.is(windowSize(newCredit(0), 2, null), 1);
  t.is(windowSize(newCredit(0), 2, 7), 7);
});

test('what is configured is the bound', (t) => {
  t.is(windowSize(credit(0), 64, 5), 5);
  t.is(windowSize(credit(60_000), 64, 5), 2);
});

test('large lines are held by their bytes', (t) => {
  const large = credit(0);
  addLine(large, 400);
  t.is(large.lineBytes, 400);
  for (let n = 0; n < 500; n += 1) addLine(large, 1_024 * 1_024);
  t.is(windowSize(large, 64, null), MAX_WAITING_BYTES / 1_024 / 1_024);
});

test('the pace counts what still runs, so that the short items that end first do not set it', (t) => {
  const pace = newPace(1_000);
  passSlotTime(pace, 1_000, 0);
  passSlotTime(pace, 1_500, 8);
  addEnded(pace, 8);
  t.like(pace, { slotMs: 4_000, ended: 1 });
});

test('the pace follows a change of the work within about two generations', (t) => {
  const pace = { slotMs: 2_000 * 500, ended: 500, atMs: 0 };
  for (let n = 1; n <= 200; n += 1) {
    passSlotTime(pace, n * 50, 1);
    addEnded(pace, 8);
  }
  t.true(pace.slotMs / pace.ended < 100, `${pace.slotMs / pace.ended}`);
});

test('a generation that ends all at once keeps the pace', (t) => {
  const pace = newPace(0);
  for (let generation = 1; generation <= 5; generation += 1) {
    passSlotTime(pace, generation * 2_000, 64);
    for (let n = 0; n < 64; n += 1) addEnded(pace, 64);
    const itemMs = pace.slotMs / pace.ended;
    t.true(itemMs > 1_700 && itemMs < 2_300, `${itemMs}`);
  }
});

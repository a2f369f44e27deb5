import test from 'ava';
import { Deadlines, type Due } from '../../../runtime/worker/deadlines.ts';
import { ManualClock } from '../../support/manual-clock.ts';

interface Thing extends Due<Thing> {
  readonly name: string;
}

function thingOf(name: string): Thing {
  return { name, dueMs: 0, list: null, before: null, after: null };
}

/** What was due, and when. */
function watched(clock = new ManualClock()) {
  const due: (readonly [thing: string, atMs: number])[] = [];
  const startMs = clock.monotonicMs();
  let timers = 0;
  const counting = Object.assign(Object.create(clock) as ManualClock, {
    monotonicMs: () => clock.monotonicMs(),
    after: (ms: number, run: () => void) => {
      timers += 1;
      return clock.after(ms, run);
    },
  });
  const deadlines = new Deadlines<Thing>(counting, 100, ({ name }) => due.push([name, clock.monotonicMs() - startMs]));
  return { deadlines, clock, due, timers: () => timers, a: thingOf('a'), b: thingOf('b'), c: thingOf('c') };
}

test('each thing is due its own time after it was added, and only once', async (t) => {
  const { deadlines, clock, due, a, b, c } = watched();
  deadlines.add(a);
  await clock.advance(40);
  deadlines.add(b);
  deadlines.add(a);
  await clock.advance(40);
  deadlines.add(c);
  await clock.advance(1_000);
  t.deepEqual(due, [
    ['a', 100],
    ['b', 140],
    ['c', 180],
  ]);
});

test('what ends before its time is never due, and what follows it is due in its own', async (t) => {
  const { deadlines, clock, due, a, b, c } = watched();
  for (const thing of [a, b, c]) deadlines.add(thing);
  await clock.advance(20);
  t.deepEqual([deadlines.leftMs(a), deadlines.leftMs(c)], [80, 80]);
  for (const thing of [a, c]) deadlines.delete(thing);
  t.is(deadlines.leftMs(a), null);
  await clock.advance(40);
  deadlines.add(a);
  await clock.advance(1_000);
  t.deepEqual(due, [
    ['b', 100],
    ['a', 160],
  ]);
});

test('a thousand things that end in time cost a timer, and none is left at rest', async (t) => {
  const { deadlines, clock, due, timers, a, b } = watched();
  for (let n = 1; n <= 1_000; n++) {
    deadlines.add(a);
    deadlines.delete(a);
  }
  deadlines.add(b);
  deadlines.rest();
  t.is(timers(), 1, 'and it stays where something is there');
  deadlines.delete(b);
  deadlines.rest();
  t.false(clock.runNext());
  t.deepEqual(due, []);
});

test('what is added while others are due is not due with them', async (t) => {
  const clock = new ManualClock();
  const due: string[] = [];
  const [a, b] = [thingOf('a'), thingOf('b')];
  const deadlines: Deadlines<Thing> = new Deadlines(clock, 100, (thing) => {
    due.push(thing.name);
    if (thing === a && due.length === 1) deadlines.add(thing);
  });
  deadlines.add(a);
  deadlines.add(b);
  await clock.advance(100);
  t.deepEqual(due, ['a', 'b']);
  await clock.advance(100);
  t.deepEqual(due, ['a', 'b', 'a']);
});

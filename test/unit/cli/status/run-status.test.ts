import test from 'ava';
import {
  itemsToDo,
  NO_WATCH,
  onLook,
  openItems,
  type SeenStatus,
  settledItems,
  statusJson,
} from '../../../../runtime/cli/status/run-status.ts';

test('settled is done and failed; open is the rest, and never below nothing', (t) => {
  t.is(settledItems({ done: 3, failed: 2 }), 5);
  t.is(openItems({ items: 7, done: 3, failed: 2 }), 2);
  t.is(openItems({ items: 0, done: 3, failed: 2 }), 0);
});

test('to do is what is neither settled, nor running, nor waiting for another try', (t) => {
  t.is(itemsToDo({ items: 10, done: 3, failed: 2, running: 2, handedBack: 1 }), 2);
  t.is(itemsToDo({ items: 4, done: 3, failed: 2, running: 2, handedBack: 1 }), 0);
});

const GONE: SeenStatus = {
  ...{
    runId: 'R1',
    state: { kind: 'running' },
    epoch: 1,
    items: 9,
    isIndexed: true,
    done: 1,
    failed: 0,
    running: 8,
    prefetched: 0,
    handedBack: 0,
    redone: 0,
  },
  ...{ workers: [], waits: [], results: null, stall: null, isLive: false, runPid: null, silence: null, endReason: '', isExpired: false },
};

/** What a watch shows of these looks, and after which it ends; 0 for none. */
function watched(looks: readonly SeenStatus[]): { readonly shown: number; readonly endedAfter: number } {
  let watch = NO_WATCH;
  let shown = 0;
  for (const [at, seen] of looks.entries()) {
    const look = onLook(watch, seen, JSON.stringify(seen));
    watch = look.watch;
    if (look.isNews) shown += 1;
    if (look.isOver) return { shown, endedAfter: at + 1 };
  }
  return { shown, endedAfter: 0 };
}

test('a watch of a run that has ended or is paused shows it once and ends', (t) => {
  const paused: SeenStatus = { ...GONE, state: { kind: 'paused', reason: 'x' } };
  t.deepEqual(watched([GONE, GONE]), { shown: 1, endedAfter: 1 });
  t.deepEqual(watched([paused, paused]), { shown: 1, endedAfter: 1 });
  t.deepEqual(watched([{ ...GONE, isLive: true }, paused]), { shown: 2, endedAfter: 2 });
});

test('a watch waits a while for a coordinator that was there, and shows what it finds meanwhile once', (t) => {
  const away = (looks: number): readonly SeenStatus[] => new Array<SeenStatus>(looks).fill(GONE);
  t.deepEqual(watched([{ ...GONE, isLive: true }, ...away(20)]), { shown: 2, endedAfter: 11 });
  t.deepEqual(watched([{ ...GONE, isLive: true }, ...away(5), { ...GONE, isLive: true }]), { shown: 3, endedAfter: 0 });
  const starting: SeenStatus = { ...GONE, runPid: 7 };
  t.deepEqual(watched(new Array<SeenStatus>(20).fill(starting)), { shown: 1, endedAfter: 0 });
});

test('the JSON form calls a run unfinished where the page does', (t) => {
  t.like(statusJson(GONE), { state: { kind: 'unfinished' }, isLive: false, running: 8 });
  t.like(statusJson({ ...GONE, isLive: true }), { state: { kind: 'running' } });
  t.like(statusJson({ ...GONE, state: { kind: 'completed' } }), { state: { kind: 'completed' } });
});

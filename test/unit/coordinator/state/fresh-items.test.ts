import test from 'ava';
import fc from 'fast-check';
import { type FreshClaim, FreshItems } from '../../../../runtime/coordinator/state/fresh-items.ts';
import { rowFor } from '../../../support/machine.ts';

const CLAIMS: readonly FreshClaim[] = ['w1', 'w2'].map((worker) => ({ row: rowFor(worker), bootNonce: `boot of ${worker}` }));

interface Known {
  readonly claim: FreshClaim;
  sinceMs: number;
  isStarted: boolean;
  isRecording: boolean;
}

test('fresh items answer as a map of objects would, whatever is done to them in whatever order', (t) => {
  const indexes = fc.integer({ min: 0, max: 700 });
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'start', 'record', 'delete'), indexes, fc.nat(1)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (commands) => {
      const [fresh, map] = [new FreshItems(), new Map<number, Known>()];
      for (const [nowMs, [what, index, which]] of commands.entries()) apply(fresh, map, { what, index, which, nowMs });
      t.deepEqual(
        [...fresh.indexes()].toSorted((a, b) => a - b),
        [...map.keys()].toSorted((a, b) => a - b),
      );
      for (const [index, known] of map) t.deepEqual(knownOf(fresh, index), known);
      t.deepEqual([fresh.size, fresh.started], [map.size, [...map.values()].filter(({ isStarted }) => isStarted).length]);
    }),
  );
});

function apply(fresh: FreshItems, map: Map<number, Known>, step: { what: string; index: number; which: number; nowMs: number }): void {
  const { what, index, which, nowMs } = step;
  const known = map.get(index);
  const claim = CLAIMS[which] as FreshClaim;
  if (known === undefined) {
    if (what !== 'add') return;
    fresh.add(index, claim, nowMs);
    map.set(index, { claim, sinceMs: nowMs, isStarted: false, isRecording: false });
  } else if (what === 'start') {
    fresh.start(index, nowMs);
    if (!known.isStarted) known.sinceMs = nowMs;
    known.isStarted = true;
  } else if (what === 'record') {
    fresh.record(index);
    known.isRecording = true;
  } else if (what === 'delete') {
    fresh.delete(index);
    map.delete(index);
  }
}

function knownOf(fresh: FreshItems, index: number): Known {
  const claim = fresh.claimOf(index) as FreshClaim;
  return { claim, sinceMs: fresh.sinceMsOf(index), isStarted: fresh.isStarted(index), isRecording: fresh.isRecording(index) };
}

test('an item that is not among them is neither started nor being recorded, in a page that is there or not', (t) => {
  const fresh = new FreshItems();
  fresh.add(3, CLAIMS[0] as FreshClaim, 0);
  fresh.start(3, 1);
  fresh.record(3);
  fresh.delete(3);
  fresh.add(4, CLAIMS[0] as FreshClaim, 0);
  for (const index of [3, 5, 9_999])
    t.deepEqual([fresh.claimOf(index), fresh.isStarted(index), fresh.isRecording(index)], [undefined, false, false]);
  fresh.add(3, CLAIMS[1] as FreshClaim, 7);
  t.deepEqual(knownOf(fresh, 3), { claim: CLAIMS[1] as FreshClaim, sinceMs: 7, isStarted: false, isRecording: false });
});

test('an item is granted as a fresh one once', (t) => {
  const fresh = new FreshItems();
  fresh.add(3, CLAIMS[0] as FreshClaim, 0);
  t.throws(() => fresh.add(3, CLAIMS[1] as FreshClaim, 0), { message: /once/ });
});

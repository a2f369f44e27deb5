import test, { type ExecutionContext } from 'ava';
import type { Random } from '../../runtime/base/random.ts';
import { testRandom } from '../support/seed.ts';
import { type FleetOptions, VirtualFleet } from '../support/virtual-fleet.ts';

/** How busy the slots are with both real machines on a clock of their own, where each stage between them takes its time. */

const MANY = 1_000_000;
/** About ten times as long as usual: a machine that is overloaded. */
const SLOW = { messageMs: 40, claimMs: 120, readMs: 80, recordMs: 150, storeMs: 80 };

function uniform(random: Random, fromMs: number, toMs: number): () => number {
  return () => fromMs + random.next() * (toMs - fromMs);
}

/** The busy part of the slots in the steady state. */
function busyShare(t: ExecutionContext, options: Omit<FleetOptions, 'items'>, warmUpMs: number, forMs: number): number {
  const fleet = new VirtualFleet({ ...options, items: MANY });
  fleet.run(warmUpMs);
  fleet.busyShare();
  fleet.run(forMs);
  const share = fleet.busyShare();
  t.log(`${(share * 100).toFixed(2)} % of ${options.workers} x ${options.slots} slots were busy`);
  return share;
}

test('2,048 slots with items of 0.5 to 3.5 s: at least 99 % are busy', (t) => {
  const random = testRandom(t);
  t.true(busyShare(t, { workers: 256, slots: 8, itemMs: uniform(random, 500, 3_500), random }, 3_000, 3_000) >= 0.99);
});

test('the same of fewer slots where rounds take ten times as long', (t) => {
  const random = testRandom(t);
  const itemMs = uniform(random, 500, 3_500);
  t.true(busyShare(t, { workers: 32, slots: 8, itemMs, random, delays: SLOW }, 8_000, 8_000) >= 0.99);
});

test('192 slots with items of 50 ms: at least 99 % are busy', (t) => {
  const random = testRandom(t);
  t.true(busyShare(t, { workers: 64, slots: 3, itemMs: () => 50, random }, 1_000, 1_000) >= 0.99);
  t.true(busyShare(t, { workers: 16, slots: 3, itemMs: () => 50, random, delays: SLOW }, 4_000, 2_000) >= 0.99);
});

test('items of a minute: slots are busy, and hardly anything waits', (t) => {
  const random = testRandom(t);
  const fleet = new VirtualFleet({ workers: 4, slots: 64, items: MANY, itemMs: uniform(random, 50_000, 70_000), random });
  fleet.run(130_000);
  fleet.busyShare();
  for (let minute = 0; minute < 3; minute += 1) {
    fleet.run(60_000);
    for (const { queue, settings } of fleet.workers) t.true(queue.size <= 4, `${settings.workerId} holds ${queue.size}`);
  }
  t.true(fleet.busyShare() >= 0.99);
});

test('single slots with items of a minute: nothing is held that would wait for one', (t) => {
  const random = testRandom(t);
  const fleet = new VirtualFleet({ workers: 8, slots: 1, items: MANY, itemMs: () => 60_000, random });
  fleet.run(130_000);
  for (const { queue } of fleet.workers) t.is(queue.size, 0);
  fleet.busyShare();
  fleet.run(120_000);
  t.true(fleet.busyShare() >= 0.99);
});

test('the tail: what waits at a slow worker goes to one that is idle', (t) => {
  const random = testRandom(t);
  const items = 600;
  // The first worker is fifty times slower than the others.
  const itemMs = (_index: number, worker: number): number => (worker === 0 ? 5_000 : 100);
  const fleet = new VirtualFleet({ workers: 3, slots: 8, items, itemMs, random });
  while (fleet.ended < items && fleet.nowMs < 60_000) fleet.run(100);
  t.is(fleet.ended, items);
  // The quick ones need 3.75 s for all of it; the slow one ends what it has started by then.
  t.true(fleet.nowMs < 10_500, `the run took ${fleet.nowMs} ms`);
  t.true(fleet.stolen > 0);
});

test('the tail is shared: idle slots come before what only waits', (t) => {
  const random = testRandom(t);
  // One worker would hold 80 of them, 16 of which would wait.
  const fleet = new VirtualFleet({ workers: 2, slots: 64, items: 128, itemMs: () => 30_000, random });
  fleet.run(3_000);
  fleet.busyShare();
  fleet.run(20_000);
  t.is(fleet.busyShare(), 1);
});

test('quick items come in large batches by themselves', (t) => {
  const random = testRandom(t);
  const fleet = new VirtualFleet({ workers: 2, slots: 16, items: MANY, itemMs: () => 1, random });
  fleet.run(500);
  const [messages, ended] = [fleet.messages, fleet.ended];
  fleet.run(500);
  const perMessage = (fleet.ended - ended) / (fleet.messages - messages);
  t.log(`${perMessage.toFixed(0)} items a message`);
  t.true(perMessage >= 40, `${perMessage}`);
});

import test, { type ExecutionContext } from 'ava';
import { type WholeOptions, WholeWorld } from './whole-world.ts';

const ITEMS = 120;
const INVALID = new Set([0, 7, 8, 9, 31, ITEMS - 1]);
/** Chance strikes for so long, and then everything must come to its end by itself. */
const FAULTS_MS = 40_000;
const LIMIT_MS = 400_000;

const CALM: WholeOptions['faults'] = {
  ledger: 0,
  reply: 0,
  failure: 0,
  returns: 0,
  refusal: 0,
  workerCrash: 0,
  workerStop: 0,
  workerDrain: 0,
  coordinatorCrash: 0,
  coordinatorStop: 0,
  coordinatorEnd: 0,
};

async function runWorld(seed: number, faults: Partial<WholeOptions['faults']>): Promise<WholeWorld> {
  const world = new WholeWorld({ seed, items: ITEMS, invalid: INVALID, workers: 3, coordinators: 2, faults: { ...CALM, ...faults } });
  await world.run(FAULTS_MS, LIMIT_MS);
  return world;
}

/** What export would write for an item: the last frame of the highest epoch (L21). */
function recordOf(world: WholeWorld, index: number): string {
  const frames = world.frames.filter((frame) => frame.index === index);
  const highest = Math.max(...frames.map(({ epoch }) => epoch));
  return Buffer.from(frames.findLast(({ epoch }) => epoch === highest)?.line ?? '').toString();
}

async function check(t: ExecutionContext, world: WholeWorld): Promise<void> {
  const at = `seed ${world.options.seed}`;
  t.is(world.failure, null, `${at}: ${world.failure instanceof Error ? world.failure.stack : String(world.failure)}`);
  t.true(world.isCompleted, `${at}: not over after ${world.clock.monotonicMs()} ms`);
  const bits = await world.ledger.bits(0, ITEMS);
  t.true(
    bits.every((bit) => bit !== 0),
    `${at}: every item is terminal`,
  );
  t.is(world.accepted.size, ITEMS, `${at}: every item was accepted once`);
  for (const [index, author] of world.accepted) {
    if (INVALID.has(index)) continue;
    const record = recordOf(world, index).replace(`${index} by `, '').replace(' in attempt ', '/');
    t.is(record, author, `${at}: L21: the last frame of item ${index} is the accepted one`);
  }
  checkFailures(t, world);
}

/** L31: each registration fails at most once in a coordinator's time. */
function checkFailures(t: ExecutionContext, { coordinators, options }: WholeWorld): void {
  for (const { events, address } of coordinators) {
    const failed = new Set<string>();
    for (const event of events) {
      if (event.kind === 'worker_registered') failed.delete(event.workerId);
      if (event.kind !== 'worker_failed') continue;
      t.false(failed.has(event.workerId), `seed ${options.seed}: ${address} failed ${event.workerId} twice`);
      failed.add(event.workerId);
    }
  }
}

test('L37: coordinators that die, stop and resign while another waits cost no execution', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const world = await runWorld(seed, { coordinatorCrash: 0.15, coordinatorStop: 0.1, coordinatorEnd: 0.05 });
    await check(t, world);
    for (const [index, by] of world.executions) t.is(by.length, 1, `seed ${seed}: item ${index} was executed by ${by.join()}`);
  }
});

test('workers that die, stop and drain under coordinators that hear them badly: one record each', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1)
    await check(t, await runWorld(seed, { workerCrash: 0.06, workerStop: 0.06, workerDrain: 0.06, reply: 0.02 }));
});

test('L20: a ledger of which every third word is of unknown fate: one record each', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1)
    await check(t, await runWorld(seed, { ledger: 0.15, workerStop: 0.1, failure: 0.1, returns: 0.1 }));
});

test('everything at once: one record each', async (t) => {
  const processes = { workerCrash: 0.04, workerStop: 0.04, workerDrain: 0.04, coordinatorCrash: 0.03, coordinatorStop: 0.03 };
  const items = { failure: 0.1, returns: 0.1, refusal: 0.1 };
  for (let seed = 1; seed <= 12; seed += 1)
    await check(t, await runWorld(seed, { ...processes, ...items, coordinatorEnd: 0.02, ledger: 0.02, reply: 0.03 }));
});

import test, { type ExecutionContext } from 'ava';
import { World, type WorldOptions } from './world.ts';

const ITEMS = 120;
const INVALID = new Set([0, 7, 8, 9, 31, ITEMS - 1]);
/** Chance strikes for so long, and then everything must come to its end by itself. */
const FAULTS_MS = 40_000;
const LIMIT_MS = 400_000;

const CALM: WorldOptions['faults'] = {
  ledger: 0,
  reply: 0,
  failure: 0,
  returns: 0,
  refusal: 0,
  workerCrash: 0,
  workerStop: 0,
  workerDrain: 0,
  hint: 0,
  coordinatorCrash: 0,
  coordinatorStop: 0,
  coordinatorEnd: 0,
};

/** All that may go wrong, at once. */
const STORM: WorldOptions['faults'] = {
  ledger: 0.02,
  reply: 0.03,
  failure: 0.1,
  returns: 0.1,
  refusal: 0.1,
  workerCrash: 0.04,
  workerStop: 0.04,
  workerDrain: 0.04,
  hint: 0.05,
  coordinatorCrash: 0.03,
  coordinatorStop: 0.03,
  coordinatorEnd: 0.02,
};

async function runWorld(seed: number, faults: Partial<WorldOptions['faults']>, coordinators = 2): Promise<World> {
  const world = new World({ seed, items: ITEMS, invalid: INVALID, workers: 3, coordinators, faults: { ...CALM, ...faults } });
  await world.run(FAULTS_MS, LIMIT_MS);
  return world;
}

/** What export would write for an item: the last frame of the highest epoch (L21). */
function recordOf(world: World, index: number): string {
  const frames = world.frames.filter((frame) => frame.index === index);
  const highest = Math.max(...frames.map(({ epoch }) => epoch));
  return Buffer.from(frames.findLast(({ epoch }) => epoch === highest)?.line ?? '').toString();
}

async function check(t: ExecutionContext, world: World): Promise<void> {
  const at = `seed ${world.options.seed}`;
  t.is(world.failure, null, `${at}: ${world.failure instanceof Error ? world.failure.stack : String(world.failure)}`);
  t.true(world.isCompleted, `${at}: not over after ${world.clock.monotonicMs()} ms`);
  const bits = await world.ledger.bits(0, ITEMS);
  t.true(
    bits.every((bit) => bit !== 0),
    `${at}: every item is terminal`,
  );
  t.is(world.accepted.size, ITEMS, `${at}: every item was accepted once`);
  t.is(new Set(world.frames.map(({ index }) => index)).size, ITEMS, `${at}: every item has a frame`);
  for (const index of INVALID) t.is(bits[index], 2, `${at}: the bad line ${index} is recorded as failed`);
  for (const [index, author] of world.accepted) {
    if (INVALID.has(index)) continue;
    const record = recordOf(world, index).replace(`${index} by `, '').replace(' in attempt ', '/');
    t.is(record, author, `${at}: L21: the last frame of item ${index} is the accepted one`);
  }
  checkFailures(t, world);
}

/** L31: each registration fails at most once in a coordinator's time. */
function checkFailures(t: ExecutionContext, { coordinators, options }: World): void {
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

/** Every valid item was executed exactly once, and no bad line at all. */
function checkExecutedOnce(t: ExecutionContext, world: World): void {
  for (let index = 0; index < ITEMS; index += 1) {
    const by = world.executions.get(index) ?? [];
    t.is(by.length, INVALID.has(index) ? 0 : 1, `seed ${world.options.seed}: item ${index} was executed by [${by.join()}]`);
  }
}

test('a calm run executes every valid item exactly once', async (t) => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const world = await runWorld(seed, {});
    await check(t, world);
    checkExecutedOnce(t, world);
  }
});

test('L37: a coordinator that dies again and again costs no execution of a living worker', async (t) => {
  let deaths = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const world = await runWorld(seed, { coordinatorCrash: 0.5 }, 1);
    await check(t, world);
    checkExecutedOnce(t, world);
    deaths += world.coordinators.length - 1;
  }
  t.true(deaths >= 20, `only ${deaths} coordinators died`);
});

test('L37: coordinators that die, stop and resign while another waits cost no execution', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const world = await runWorld(seed, { coordinatorCrash: 0.15, coordinatorStop: 0.1, coordinatorEnd: 0.05 });
    await check(t, world);
    checkExecutedOnce(t, world);
  }
});

test('workers that are told to hold, to leave and that they are gone, and that it is not so: one record each', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const world = await runWorld(seed, { hint: 0.3, reply: 0.02, workerStop: 0.03, coordinatorCrash: 0.02 });
    await check(t, world);
    const kinds = new Set(world.coordinators.flatMap((one) => one.events.map((event) => event.kind)));
    for (const kind of ['drain_started', 'drain_step', 'drain_finished'] as const) t.true(kinds.has(kind), `seed ${seed}: ${kind}`);
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
  for (let seed = 1; seed <= 24; seed += 1) await check(t, await runWorld(seed, STORM));
});

test('the same seed gives the same world', async (t) => {
  const [one, two] = [await runWorld(7, STORM), await runWorld(7, STORM)];
  await check(t, one);
  t.deepEqual(
    one.coordinators.map(({ events }) => events),
    two.coordinators.map(({ events }) => events),
  );
  t.deepEqual(one.frames, two.frames);
  t.deepEqual(one.executions, two.executions);
});

import test from 'ava';
import { World, type WorldOptions } from './world.ts';

/** Ten minutes of the world's time: far more than any of these runs needs. */
const LIMIT_MS = 600_000;
const ITEMS = 60;

async function runWorld(seed: number, faults: WorldOptions['faults']): Promise<World> {
  const invalid = new Set([0, 7, 8, 9, 31, ITEMS - 1]);
  const world = new World({ seed, items: ITEMS, invalid, workers: 3, faults });
  await world.run(LIMIT_MS);
  return world;
}

/** What export would write for each index: the last frame of the highest epoch (L21). */
function exported(world: World): Map<number, string> {
  const records = new Map<number, { epoch: number; line: string }>();
  for (const { index, epoch, line } of world.frames) {
    const before = records.get(index);
    if (before === undefined || epoch >= before.epoch) records.set(index, { epoch, line: Buffer.from(line).toString() });
  }
  return new Map([...records].map(([index, { line }]) => [index, line]));
}

async function check(t: import('ava').ExecutionContext, world: World): Promise<void> {
  const at = `seed ${world.options.seed}`;
  t.is(world.failure, null, `${at}: ${world.failure instanceof Error ? world.failure.stack : String(world.failure)}`);
  t.is(world.outcome, 'completed', `${at}: still running after ${world.clock.monotonicMs()} ms`);
  const bits = await world.ledger.bits(0, ITEMS);
  t.true(
    bits.every((bit) => bit !== 0),
    `${at}: every item is terminal`,
  );
  const records = exported(world);
  t.is(records.size, ITEMS, `${at}: every item has a frame`);
  for (const [index, author] of world.accepted) {
    const line = world.options.invalid.has(index)
      ? author
      : (records.get(index) ?? '').replace(`${index} by `, '').replace(' in attempt ', '/');
    t.is(line, author, `${at}: L21: the last frame of item ${index} is the accepted one`);
  }
  t.is(world.accepted.size, ITEMS, `${at}: every item was accepted once`);
  for (const index of world.options.invalid) t.is(bits[index], 2, `${at}: the bad line ${index} is recorded as failed`);
}

const CALM = { ledger: 0, reply: 0, workerCrash: 0, coordinatorCrash: 0, failure: 0 };

test('a calm run executes every valid item exactly once', async (t) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const world = await runWorld(seed, CALM);
    await check(t, world);
    for (let index = 0; index < ITEMS; index += 1) {
      t.is(world.executions.get(index) ?? 0, world.options.invalid.has(index) ? 0 : 1, `seed ${seed}: item ${index}`);
    }
  }
});

test('L37: a coordinator that dies again and again costs no execution of a living worker', async (t) => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const world = await runWorld(seed, { ...CALM, coordinatorCrash: 0.002 });
    await check(t, world);
    for (const [index, count] of world.executions) t.is(count, 1, `seed ${seed}: item ${index} was executed ${count} times`);
  }
});

test('lost replies, calls of unknown fate, crashes on both sides and failing items: one record each', async (t) => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const world = await runWorld(seed, { ledger: 0.03, reply: 0.05, workerCrash: 0.03, coordinatorCrash: 0.0005, failure: 0.1 });
    await check(t, world);
  }
});

test('the same seed gives the same world', async (t) => {
  const faults = { ledger: 0.03, reply: 0.05, workerCrash: 0.03, coordinatorCrash: 0.0005, failure: 0.1 };
  const [one, two] = [await runWorld(7, faults), await runWorld(7, faults)];
  t.deepEqual(one.events, two.events);
  t.deepEqual(one.frames, two.frames);
});

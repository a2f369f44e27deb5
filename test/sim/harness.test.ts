import test from 'ava';
import { EventQueue } from './event-queue.ts';
import { commandFor, planFrom } from './plan-words.ts';
import { runOnce, runTwice, type SeedResult } from './run-seed.ts';
import { Shrinking } from './shrink.ts';
import { planOf, type WorldPlan } from './swarm.ts';

const CALM: Partial<WorldPlan> = { rates: {}, isExact: true, slowPerMille: 0, stragglers: false, poisoned: 0 };

test('events come in the order of their time, and of two at the same time the older first', (t) => {
  const queue = new EventQueue();
  const came: string[] = [];
  for (const [name, ms] of Object.entries({ late: 9, early: 1, middle: 5, alsoMiddle: 5, never: 7 })) {
    const timer = queue.after(ms, () => came.push(`${name} ${queue.nowMs}`));
    if (name === 'never') timer.stop();
  }
  while (queue.runNext());
  t.deepEqual(came, ['early 1', 'middle 5', 'alsoMiddle 5', 'late 9']);
});

test('in a calm world every item is executed exactly once', async (t) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { failure, faults } = await runOnce({ ...planOf(seed), ...CALM });
    t.is(failure, null, `seed ${seed}: ${failure?.message}`);
    t.is(faults, 0);
  }
});

test('L37: coordinators that die again and again cost no execution of a living worker', async (t) => {
  let deaths = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const rates = { 'coordinator-killed': 0.3, 'power-lost': 0.5 };
    const { failure, coverage } = await runOnce({ ...planOf(seed), ...CALM, rates });
    t.is(failure, null, `seed ${seed}: ${failure?.message}`);
    deaths += coverage.of('fault coordinator-killed');
  }
  t.true(deaths >= 40, `only ${deaths} coordinators died`);
});

test('lines and answers of many megabytes travel in messages that can be sent, on streams and by polls', async (t) => {
  const large = {
    items: 8,
    workers: 2,
    coordinators: 1,
    concurrency: 4,
    prefetch: 4,
    invalidShare: 0,
    indexingMs: 0,
    requestTimeoutMs: 9_000,
  };
  for (const transport of ['stream', 'poll'] as const) {
    const sizes = { lineBytes: 5 * 2 ** 20, answerBytes: 9 * 2 ** 20, transport };
    const { failure, coverage } = await runOnce({ ...planOf(1), ...CALM, ...large, ...sizes });
    t.is(failure, null, `${transport}: ${failure?.message}`);
    t.is(coverage.of('executions'), 8);
  }
});

test('a seed gives the same world again, and another seed another one', async (t) => {
  const [one, again, other] = [await runTwice(planOf(7)), await runTwice(planOf(7)), await runTwice(planOf(8))];
  t.is(one.failure, null);
  t.is(one.hash, again.hash);
  t.not(one.hash, other.hash);
});

test('the command that is told for a world makes that world', (t) => {
  const plan = { ...planOf(3), items: 5, workers: 1, lastFault: 40, skippedFaults: new Set([1, 2, 3, 9]), rates: {} };
  const command = commandFor(plan);
  t.is(command, `make sim SEED=3 FAULTS=none ITEMS=5 WORKERS=1 LAST=40 SKIP=1-3,9`);
  const words = Object.fromEntries(
    command
      .split(' ')
      .slice(3)
      .map((word) => word.split('=')),
  );
  t.deepEqual(planFrom(3, words), plan);
  t.throws(() => planFrom(3, { FAULTS: 'earthquake' }), { message: /no such fault: earthquake/ });
});

test('a world that fails is made smaller, as long as it fails', async (t) => {
  const first = await runOnce({ ...planOf(5), ...CALM, items: 4 });
  const failsWith = async (plan: WorldPlan): Promise<SeedResult> => {
    const isFailing = plan.rates['worker-killed'] !== undefined && plan.items >= 3 && plan.lastFault >= 6 && !plan.skippedFaults.has(5);
    return { ...first, plan, faults: 30, failure: isFailing ? { rule: 'planted', message: '' } : null };
  };
  const whole = {
    ...planOf(5),
    rates: { 'worker-killed': 0.1, 'disk-full': 0.1, 'reply-lost': 0.1 },
    items: 40,
    workers: 3,
    coordinators: 3,
  };
  const { plan } = await new Shrinking(await failsWith(whole), failsWith).shrink();
  t.like(plan, { items: 3, workers: 1, coordinators: 1, lastFault: 6, rates: { 'worker-killed': 0.1 } });
  t.deepEqual(Object.keys(plan.rates), ['worker-killed']);
  t.deepEqual(
    [...plan.skippedFaults].toSorted((a, b) => a - b),
    [1, 2, 3, 4, 6],
  );
});

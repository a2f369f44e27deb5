import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createAnswerBudget } from '../../../../runtime/worker/backends/answer-budget.ts';

const never = new AbortController().signal;

/** Whether each of the promises has been resolved by now. */
async function areDone(promises: readonly Promise<void>[]): Promise<readonly boolean[]> {
  const done = promises.map(() => false);
  promises.forEach((one, at) => {
    one.then(() => {
      done[at] = true;
    }, t_fail);
  });
  await setImmediate();
  return done;
}

function t_fail(error: unknown): never {
  throw error;
}

test('what fits is given at once; what does not waits until something is given back', async (t) => {
  const budget = createAnswerBudget(100);
  const [a, b, c, d] = [budget.open(), budget.open(), budget.open(), budget.open()];
  await a.take(60, never);
  await b.take(40, never);
  // c is the one that may go beyond; d waits.
  const waits = [c.take(10, never), d.take(10, never)];
  t.deepEqual(await areDone(waits), [true, false]);
  a.close();
  t.deepEqual(await areDone(waits), [true, true]);
});

test('one at a time may go beyond the bound, to its end, however many wait', async (t) => {
  const budget = createAnswerBudget(100);
  const holdings = Array.from({ length: 5 }, () => budget.open());
  await Promise.all(holdings.map((one) => one.take(20, never)));
  const grown = holdings.map((one) => one.take(50, never));
  t.deepEqual(await areDone(grown), [true, false, false, false, false]);
  await holdings[0]?.take(1_000, never);
  for (const [n, one] of holdings.entries()) {
    await grown[n];
    one.close();
  }
  t.pass();
});

test('who is let go of while waiting holds nothing and stops nobody', async (t) => {
  const budget = createAnswerBudget(10);
  const [a, b, c, d] = [budget.open(), budget.open(), budget.open(), budget.open()];
  await a.take(10, never);
  await b.take(10, never);
  const controller = new AbortController();
  const waits = [c.take(10, controller.signal), d.take(10, never)];
  t.deepEqual(await areDone(waits), [false, false]);
  controller.abort();
  t.deepEqual(await areDone(waits), [true, false]);
  c.close();
  b.close();
  t.deepEqual(await areDone(waits), [true, true]);
});

import { getEventListeners } from 'node:events';
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

test('outcomes that are kept take the room of answers, until they are acknowledged', async (t) => {
  const budget = createAnswerBudget(100);
  const [a, b, c] = [budget.open(), budget.open(), budget.open()];
  budget.keep(30);
  await a.take(40, never);
  // b is the one that may go beyond; c waits.
  const waits = [b.take(10, never), c.take(10, never)];
  t.deepEqual(await areDone(waits), [true, false]);
  budget.keep(20);
  t.deepEqual(await areDone(waits), [true, true]);
});

test('where outcomes fill the bound no other answer goes beyond it, and the one that did comes to its end', async (t) => {
  const budget = createAnswerBudget(100);
  const [a, b] = [budget.open(), budget.open()];
  budget.keep(49);
  await a.take(20, never);
  budget.keep(50);
  await a.take(1_000, never);
  a.close();
  const waits = [b.take(10, never)];
  t.deepEqual(await areDone(waits), [false]);
  budget.keep(45);
  t.deepEqual(await areDone(waits), [true]);
});

test('outcomes that fill the bound hold up one answer after the other, and every one is read once they are acknowledged', async (t) => {
  const budget = createAnswerBudget(100);
  let kept = 0;
  let most = 0;
  const read = async (): Promise<void> => {
    const holding = budget.open();
    for (let part = 0; part < 12; part += 1) await holding.take(10, never);
    holding.close();
    kept += 120;
    most = Math.max(most, kept);
    budget.keep(kept);
    await setImmediate();
    kept -= 120;
    budget.keep(kept);
  };
  await Promise.all(Array.from({ length: 20 }, read));
  t.is(kept, 0);
  t.true(most <= 240, `${most} bytes`);
});

test('an answer that has waited many times leaves nothing behind on its signal', async (t) => {
  const budget = createAnswerBudget(10);
  const controller = new AbortController();
  const holding = budget.open();
  for (let n = 0; n < 20; n += 1) {
    budget.keep(10);
    const waits = holding.take(1, controller.signal);
    t.is(getEventListeners(controller.signal, 'abort').length, 1);
    budget.keep(0);
    await waits;
    holding.close();
  }
  t.is(getEventListeners(controller.signal, 'abort').length, 0);
});

import test from 'ava';
import { addResult, carried, newThroughput, passTime, type Throughput } from '../../../../runtime/worker/endpoint/throughput.ts';

const TIMEOUT_MS = 4_000;

/** A server with so many slots, always all busy: `results` answers of `itemMs` each. */
function saturated(slots: number, itemMs: number, results: number): Throughput {
  const throughput = newThroughput(0);
  for (let nth = 1; nth <= results; nth++) answer(throughput, Math.ceil(nth / slots) * itemMs, itemMs);
  return throughput;
}

function answer(throughput: Throughput, nowMs: number, tookMs: number): void {
  passTime(throughput, nowMs, true);
  addResult(throughput, tookMs);
}

test('nothing is known before the first result', (t) => {
  t.is(carried(newThroughput(0), TIMEOUT_MS), null);
});

test('what is carried keeps every slot of a server busy, and waits for no answer as long as the time-out', (t) => {
  for (const slots of [1, 2, 4, 8, 16]) {
    for (const itemMs of [200, 500, 1_000, 2_000, 3_900]) {
      const items = carried(saturated(slots, itemMs, slots * 10), TIMEOUT_MS) ?? 0;
      t.true(items >= slots, `${slots} slots of ${itemMs} ms: ${items}`);
      t.true((items / slots) * itemMs <= TIMEOUT_MS, `${slots} slots of ${itemMs} ms: ${items}`);
    }
  }
});

test('time in which the endpoint has nothing to do does not make it slower', (t) => {
  const idle = saturated(1, 500, 8);
  const before = carried(idle, TIMEOUT_MS);
  passTime(idle, 1_000_000, false);
  t.is(carried(idle, TIMEOUT_MS), before);
});

test('a server that becomes slower is known as such after as many results as are remembered', (t) => {
  const throughput = saturated(1, 100, 40);
  for (let nth = 1; nth <= 32; nth++) answer(throughput, 4_000 + nth * 1_000, 1_000);
  t.is(Math.round(((carried(throughput, TIMEOUT_MS) ?? 0) * 1_000) / ((100 + TIMEOUT_MS) / 2)), 1, 'one result per second');
});

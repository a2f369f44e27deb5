import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type Behave, modelServer, OK } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';

interface Load {
  readonly slots: number;
  readonly itemMs: number;
  readonly items: number;
  readonly timeout: string;
}

/** A server that takes so many items at a time, and lets the others wait. It goes on with what nobody waits for any more. */
class Queue {
  readonly #slots: number;
  readonly #itemMs: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #busyMs = 0;
  #changedMs = 0;
  #fullSinceMs: number | null = null;
  #lastTakenMs = 0;
  #busyMsThen = 0;

  constructor(slots: number, itemMs: number) {
    this.#slots = slots;
    this.#itemMs = itemMs;
  }

  readonly behave: Behave = async () => {
    if (this.#busy === this.#slots) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#change(1);
    await sleep(this.#itemMs);
    this.#change(-1);
    this.#waiting.shift()?.();
    return OK;
  };

  /** From the moment at which all slots were busy first to the one at which the last item was begun. */
  busyShare(): number {
    return this.#busyMsThen / (this.#slots * (this.#lastTakenMs - (this.#fullSinceMs ?? this.#lastTakenMs)));
  }

  #change(by: 1 | -1): void {
    const nowMs = performance.now();
    if (this.#fullSinceMs !== null) this.#busyMs += this.#busy * (nowMs - this.#changedMs);
    this.#changedMs = nowMs;
    this.#busy += by;
    if (this.#busy === this.#slots) this.#fullSinceMs ??= nowMs;
    if (by === 1) [this.#lastTakenMs, this.#busyMsThen] = [nowMs, this.#busyMs];
  }
}

const LOADS: readonly Load[] = [
  { slots: 1, itemMs: 200, items: 100, timeout: '2s' },
  { slots: 1, itemMs: 500, items: 100, timeout: '4s' },
  { slots: 4, itemMs: 1_000, items: 120, timeout: '5s' },
  { slots: 16, itemMs: 5_000, items: 160, timeout: '20s' },
];

test('a server that is slower than the concurrency supposes: every item succeeds, few requests are lost, its slots are busy', async (t) => {
  t.timeout(240_000);
  await Promise.all(LOADS.map((load) => checkLoad(t, load)));
});

async function checkLoad(t: ExecutionContext, { slots, itemMs, items, timeout }: Load): Promise<void> {
  const name = `${slots} slots, ${itemMs} ms`;
  const queue = new Queue(slots, itemMs);
  const server = await modelServer(t, queue.behave);
  const run = makeRun(t, {
    lines: batchLines(items),
    args: ['--base-url', server.url, '--workers', '1', '--timeout', timeout, '--max-attempts', '1'],
  });
  const command = run.start();
  t.is(await exitOf(command, 200_000), 0, `${name}: ${command.stderr()}`);
  t.log(`${name}: ${server.total()} requests for ${items} items, slots busy ${Math.round(queue.busyShare() * 100)} %`);
  t.true(server.total() <= items * 1.5, `${name}: ${server.total()} requests for ${items} items`);
  t.true(queue.busyShare() >= 0.9, `${name}: busy ${queue.busyShare()}`);
  await checkInvariant(t, run);
}

test('after throttling a server is soon used as before', async (t) => {
  t.timeout(120_000);
  let throttledUntilMs = 0;
  const arrivals: number[] = [];
  const server = await modelServer(t, () => {
    arrivals.push(performance.now());
    if (arrivals.length === 1) throttledUntilMs = performance.now() + 4_000;
    return performance.now() < throttledUntilMs ? { kind: 'status', status: 429 } : { kind: 'ok', afterMs: 1_000 };
  });
  const run = makeRun(t, { lines: batchLines(256), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '32'] });
  const command = run.start();
  const peaks: number[] = [];
  const watch = setInterval(() => peaks.push(server.inFlight()), 100);
  t.is(await exitOf(command, 100_000), 0, command.stderr());
  clearInterval(watch);
  t.is(Math.max(...peaks), 32, 'all slots are used again');
  const tookMs = (arrivals.at(-1) ?? 0) - throttledUntilMs;
  t.log(`the last of 256 items began ${Math.round(tookMs)} ms after the throttling ended`);
  t.true(tookMs < 25_000, '8 rounds of 1 s at full concurrency, 3 on the way there; 40 and more by ones');
  await checkInvariant(t, run);
});

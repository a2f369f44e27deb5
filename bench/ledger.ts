import { join } from 'node:path';
import { systemClock as clock } from '../runtime/base/clock.ts';
import type { Ledger } from '../runtime/ledger/contract.ts';
import { openEmbeddedLedger } from '../runtime/ledger/embedded/ledger.ts';
import type { Part } from './contract.ts';
import { thousands } from './end-to-end.ts';
import { measured } from './processes.ts';

/** As many items as a cycle of a busy coordinator settles and claims. */
const BATCH = 64;
const WORKER = 'w1';
const EPOCH = 0;

/** The embedded ledger by its contract: claim and settle, nothing else, each reply after its commit is durable. */
export const ledger: Part = {
  name: 'ledger',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const items = round.sizes.ledger;
    const opened = await openEmbeddedLedger({ dir: round.newDir(), clock });
    await begin(opened, join(round.newDir(), 'place'));
    const run = await measured(() => work(opened, items));
    await opened.dispose();
    const figures = { itemsPerSecond: items / run.seconds, cpuUsPerItem: (run.benchCpuMs * 1_000) / items };
    const load = `ledger alone: ${thousands(items)} items claimed and settled, ${BATCH} at a time`;
    return [{ subject: 'rollout', load, figures, foreignCores: run.foreignCores }];
  },
};

async function begin(opened: Ledger, placeId: string): Promise<void> {
  const process = { bootId: 'bench', pid: 1, startTime: '1', uid: 0 };
  await opened.acquire({ holder: 'bench', process, address: 'localhost:1', expected: null, floor: -1 });
  await opened.bind(EPOCH, { placeId, runId: 'bench' });
  await opened.register(EPOCH, WORKER, { bootNonce: 'bench', pid: 1, concurrency: BATCH, registeredAtMs: 0 });
}

async function work(opened: Ledger, items: number): Promise<void> {
  for (let cursor = 0; cursor < items; cursor += BATCH) {
    const claimed = await opened.claim(EPOCH, WORKER, [{ cursor, count: Math.min(BATCH, items - cursor) }]);
    if (claimed.kind !== 'claimed') throw new Error(`not claimed: ${claimed.kind}`);
    const outcomes = claimed.granted.map(({ index, attempt }) => ({ index, attempt, claimEpoch: EPOCH, isResult: true }));
    const settled = await opened.settle(EPOCH, WORKER, outcomes);
    if (settled.kind !== 'settled') throw new Error(`not settled: ${settled.kind}`);
  }
}

import { systemClock as clock } from '../runtime/base/clock.ts';
import type { Granted, Ledger, Settlement } from '../runtime/ledger/contract.ts';
import { openEmbeddedLedger } from '../runtime/ledger/embedded/ledger.ts';
import type { Part } from './contract.ts';
import { thousands } from './end-to-end.ts';
import { measured } from './processes.ts';

/** As many items as a cycle of a busy coordinator settles and claims. */
export const BATCH = 64;
const WORKER = 'w1';
const EPOCH = 0;

/** The embedded ledger by its contract: claim and settle, nothing else, each reply after its commit is durable. */
export const ledger: Part = {
  name: 'ledger',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const items = round.sizes.ledger;
    const opened = await openEmbeddedLedger({ dir: round.newDir(), clock });
    await begin(opened);
    const run = await measured(() => work(opened, items));
    await opened.dispose();
    const figures = { itemsPerSecond: items / run.seconds, cpuUsPerItem: (run.benchCpuMs * 1_000) / items };
    return [{ subject: 'rollout', load: `ledger alone: ${workText(items)}`, figures, foreignCores: run.foreignCores }];
  },
};

export function workText(items: number): string {
  return `${thousands(items)} items claimed and settled, ${BATCH} at a time`;
}

/** What a coordinator does before its first commit. */
export async function begin(opened: Ledger): Promise<void> {
  const process = { bootId: 'bench', pid: 1, startTime: '1', uid: 0 };
  await opened.acquire({ holder: 'bench', process, address: 'localhost:1', expected: null, grounds: null, ttlMs: 60_000, floor: -1 });
  await opened.bind(EPOCH, { placeId: 'bench', runId: 'bench' });
  await opened.register({ epoch: EPOCH, serial: 1 }, WORKER, { bootNonce: 'bench', pid: 1, concurrency: BATCH, registeredAtMs: 0 });
}

/** As a coordinator does it: what the last commit claimed is settled in the one that claims the next. */
export async function work(opened: Ledger, items: number): Promise<void> {
  let settles: readonly Settlement[] = [];
  for (let cursor = 0; cursor < items || settles.length > 0; ) {
    const picks = [{ cursor, count: Math.min(BATCH, items - cursor) }];
    const reply = await opened.commit(EPOCH, { settles, handBacks: [], claims: [{ worker: WORKER, picks }] });
    const claimed = reply.kind === 'committed' ? reply.claimed[0] : undefined;
    if (claimed?.kind !== 'claimed') throw new Error(`not claimed: ${reply.kind}`);
    settles = claimed.granted.flatMap(settlementsOf);
    cursor = claimed.cursor;
  }
}

function settlementsOf({ from, count, attempt }: Granted): readonly Settlement[] {
  const row = { worker: WORKER, attempt, claimEpoch: EPOCH };
  return Array.from({ length: count }, (_, n) => ({ index: from + n, row, isResult: true }));
}

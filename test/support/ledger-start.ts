import type { ExecutionContext } from 'ava';
import { assert } from '../../runtime/base/assert.ts';
import type { ProcessIdentity } from '../../runtime/base/process/process-identity.ts';
import type {
  Claimed,
  Pick as ClaimPick,
  CountedRow,
  HandBack,
  HandBackReason,
  Ledger,
  Move,
  Scan,
  SoleRow,
  WorkerInfo,
} from '../../runtime/ledger/contract.ts';
import type { AcquireRequest, Lease } from '../../runtime/model/lease.ts';
import type { Attempt, Epoch, ItemIndex, Row, Stamp, WorkerId } from '../../runtime/model/row.ts';
import { claim, type Outcome } from './commit-parts.ts';

/** Gives an empty ledger, and disposes of it at the test's end. */
export type Open = (t: ExecutionContext) => Promise<Ledger>;

export const SOME_PROCESS: ProcessIdentity = { bootId: 'a-boot', pid: 7, startTime: '70', uid: 1000 };
export const SOME_TTL_MS = 60_000;
export const SOME_PLACE = { placeId: 'a-place', runId: 'a-run' };
export const SOME_WORKER: WorkerInfo = { bootNonce: 'nonce', pid: 8, concurrency: 4, registeredAtMs: 1 };

/** So many items are recorded before random calls begin: a page of granted ranges ends a little after them (range-page.ts). */
export const RECORDED_BEFORE = 250;

export function request(holder: string, expected: Lease | null, floor = -1): AcquireRequest {
  return { holder, process: SOME_PROCESS, address: `${holder}:1`, expected, grounds: 'watched', ttlMs: SOME_TTL_MS, floor };
}

/** Wins the lease whatever row is there, as a candidate that had grounds to. */
export async function win(ledger: Ledger, holder: string, floor = -1): Promise<Lease> {
  const reply = await ledger.acquire(request(holder, (await ledger.readLease()).lease, floor));
  assert(reply.kind === 'won', `not won: ${JSON.stringify(reply)}`);
  return reply.lease;
}

/** Epoch 0, bound, with workers w1 and w2. */
export async function start(ledger: Ledger): Promise<Lease> {
  const lease = await win(ledger, 'first');
  await ledger.bind(lease.epoch, SOME_PLACE);
  await ledger.register(by(lease.epoch), 'w1', SOME_WORKER);
  await ledger.register(by(lease.epoch), 'w2', SOME_WORKER);
  return lease;
}

export async function claimed(ledger: Ledger, epoch: number, worker: WorkerId, picks: readonly ClaimPick[]): Promise<Claimed> {
  const reply = await claim(ledger, epoch, worker, picks);
  assert(reply.kind === 'claimed', `not claimed: ${JSON.stringify(reply)}`);
  return reply;
}

export async function scanned(ledger: Ledger, epoch: number): Promise<Scan> {
  const reply = await ledger.scan(epoch);
  assert(reply.kind === 'scanned', `not scanned: ${JSON.stringify(reply)}`);
  return reply;
}

/** Each granted item by itself. */
export function grantedItems({ granted }: Pick<Claimed, 'granted'>): readonly { readonly index: ItemIndex; readonly attempt: Attempt }[] {
  return granted.flatMap(({ from, count, attempt }) => Array.from({ length: count }, (_, n) => ({ index: from + n, attempt })));
}

export function outcome(index: number, attempt = 1, claimEpoch = 0, isResult = true): Outcome {
  return { index, attempt, claimEpoch, isResult };
}

export function row(worker: WorkerId, attempt = 1, claimEpoch = 0): Row {
  return { worker, attempt, claimEpoch };
}

let lastSerial = 0;

/** Of a request that comes after every one before it (L38). */
export function by(epoch: Epoch): Stamp {
  lastSerial += 1;
  return { epoch, serial: lastSerial };
}

/** The only row of an item, whose attempt is the last one unless it says otherwise. */
export function sole(index: number, of: Row, lastAttempt: Attempt = of.attempt): SoleRow {
  return { index, row: of, lastAttempt };
}

export function move(index: number, of: Row, to: WorkerId): Move {
  return { index, row: of, to };
}

/** As it is named for `restore`. */
export function taken(index: number, of: Row, restores = 0): CountedRow {
  return { index, row: of, restores };
}

export function back(index: number, of: Row, reason: HandBackReason = 'lost', delayMs = 0, restores = 0): HandBack {
  return { index, row: of, restores, reason, delayMs };
}

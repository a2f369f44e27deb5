import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { systemClock } from '../../runtime/base/clock.ts';
import type { AcquireReply, ClaimReply, Ledger, SettleReply } from '../../runtime/ledger/contract.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory.ts';
import { type Command, commands, type Shared } from '../support/ledger-commands.ts';
import { start } from '../support/ledger-start.ts';

/** A reply, or the error in its place. */
async function replyOf(command: Command, ledger: Ledger, shared: Shared): Promise<unknown> {
  try {
    return await command.run(ledger, shared);
  } catch (error) {
    return { threw: error instanceof Error ? error.name : String(error), message: error instanceof Error ? error.message : '' };
  }
}

type Known = ClaimReply | SettleReply | AcquireReply;

function isReply<K extends Known['kind']>(reply: unknown, kind: K): reply is Extract<Known, { readonly kind: K }> {
  return typeof reply === 'object' && reply !== null && 'kind' in reply && reply.kind === kind;
}

/** What must hold over the whole history, whatever the calls were (L9, L11). */
class History {
  readonly #attempts = new Map<number, number>();
  #accepted = 0;

  see(t: ExecutionContext, reply: unknown): void {
    if (isReply(reply, 'settled')) this.#accepted += reply.verdicts.filter((verdict) => verdict === 'accepted').length;
    if (!isReply(reply, 'claimed')) return;
    for (const { index, attempt } of reply.granted) {
      t.true(attempt > (this.#attempts.get(index) ?? 0), `L9: attempt ${attempt} of item ${index} grows`);
      this.#attempts.set(index, attempt);
    }
  }

  async check(t: ExecutionContext, ledger: Ledger): Promise<void> {
    const { done, failed } = await ledger.progress();
    t.is(done + failed, this.#accepted, 'L11: as many recorded items as accepted outcomes');
  }
}

function follow(shared: Shared, reply: unknown): void {
  if (isReply(reply, 'claimed')) shared.cursor = reply.cursor;
  if (!isReply(reply, 'won')) return;
  shared.lease = reply.lease;
  shared.epoch = reply.lease.epoch;
  shared.holders += 1;
}

async function inFlight(ledger: Ledger, epoch: number): Promise<Shared['live']> {
  const scan = await ledger.scan(epoch);
  return scan.kind === 'scanned' ? [...scan.running, ...scan.handedBack].map(({ index, row }) => ({ index, row })) : [];
}

async function compare(t: ExecutionContext, calls: readonly Command[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-parity-'));
  const memory = createMemoryLedger();
  const embedded = await openEmbeddedLedger({ dir, clock: systemClock });
  try {
    const shared: Shared = { epoch: 0, cursor: 0, lease: await start(memory), holders: 0, live: [] };
    await start(embedded);
    const history = new History();
    for (const call of calls) {
      const reply = await replyOf(call, memory, shared);
      t.deepEqual(await replyOf(call, embedded, shared), reply, call.name);
      history.see(t, reply);
      follow(shared, reply);
      shared.live = await inFlight(memory, shared.epoch);
    }
    const [a, b] = await Promise.all([memory.scan(shared.epoch), embedded.scan(shared.epoch)]);
    t.deepEqual(b, a);
    t.is(a.kind, 'scanned');
    await history.check(t, embedded);
  } finally {
    await embedded.dispose();
    await rm(dir, { recursive: true });
  }
}

test('memory and embedded answer the same random calls alike, and end with the same rows', async (t) => {
  t.timeout(240_000);
  await fc.assert(
    fc.asyncProperty(commands, (calls) => compare(t, calls)),
    { numRuns: 40 },
  );
});

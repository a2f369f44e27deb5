import { assert } from '../../base/assert.ts';
import { fullJitterMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { LeaseHolder, Resigned } from '../../lease/contract.ts';
import { CallFailed } from '../../ledger/call-failed.ts';
import type { Fenced, Overtaken } from '../../ledger/contract.ts';
import type { LedgerReads } from '../../results/log/contract.ts';

/** A store that fails over, or is started again, may be away for half a minute; after twice that the process ends and its successor scans. */
const PATIENCE_MS = 60_000;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 1_000;

/** Every word to the ledger goes through here: only as the fresh holder of the lease, and until its fate is known (L20). */
export interface LedgerWriter {
  /** Null: fenced, and the holder of the lease knows it; or resigned (L42). After that nothing more may be sent (L5). */
  write<T extends { readonly kind: string }>(verb: () => Promise<T | Fenced | Overtaken>): Promise<T | null>;
}

export interface LedgerWriterOptions {
  readonly leaseHolder: Pick<LeaseHolder, 'ensureFresh' | 'fence'>;
  readonly clock: Clock;
  readonly random: Random;
}

export function createLedgerWriter(options: LedgerWriterOptions): LedgerWriter {
  return {
    write: async <T extends { readonly kind: string }>(verb: () => Promise<T | Fenced | Overtaken>): Promise<T | null> => {
      const reply = await untilKnown(options, verb);
      assert(reply.kind !== 'overtaken', 'nothing overtakes a request that is waited for (L38)');
      if (!isRefused(reply)) return reply as T;
      if (reply.kind === 'fenced') options.leaseHolder.fence(reply.epoch);
      return null;
    },
  };
}

/** A renewal that failed is asked again like any other word to the ledger. */
function untilKnown<T>(options: LedgerWriterOptions, verb: () => Promise<T>): Promise<T | Fenced | Resigned> {
  return untilAnswered(options, async () => {
    const holder = await options.leaseHolder.ensureFresh();
    return holder.kind === 'fresh' ? verb() : holder;
  });
}

/**
 * Asks until there is an answer (L20). A store that failed to write, or lost writes, is not used again: a successor finds out what it
 * holds (L18).
 */
export async function untilAnswered<T>(
  { clock, random }: Pick<LedgerWriterOptions, 'clock' | 'random'>,
  ask: () => Promise<T>,
): Promise<T> {
  const beganMs = clock.monotonicMs();
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof CallFailed)) throw cause;
      if (clock.monotonicMs() - beganMs >= PATIENCE_MS) throw unanswered(cause);
    }
    await clock.sleep(fullJitterMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS, random));
  }
}

/** What is read of the ledger without an epoch, each read until it is answered: to compare the log with it, and to export. */
export function patientReads(ledger: LedgerReads, options: Pick<LedgerWriterOptions, 'clock' | 'random'>): LedgerReads {
  return {
    progress: () => untilAnswered(options, () => ledger.progress()),
    bits: (from, count) => untilAnswered(options, () => ledger.bits(from, count)),
    tallies: () => untilAnswered(options, () => ledger.tallies()),
  };
}

function unanswered(cause: CallFailed): RolloutError {
  return new RolloutError('STORE_FAILED', `the ledger gave no answer (${cause.message}); start again, nothing recorded is lost`, { cause });
}

function isRefused(reply: { readonly kind: string } | Fenced | Resigned): reply is Fenced | Resigned {
  return reply.kind === 'fenced' || reply.kind === 'resigned';
}

import { fullJitterMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { LeaseHolder, Resigned } from '../../lease/contract.ts';
import type { Fenced } from '../../ledger/contract.ts';

/** So many answers of unknown fate in a row mean that the store is broken; the process ends and its successor scans. */
const MAX_TRIES = 12;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 1_000;

/** Every word to the ledger goes through here: only as the fresh holder of the lease, and until its fate is known (L20). */
export interface LedgerWriter {
  /** Null: fenced, and the holder of the lease knows it; or resigned (L42). After that nothing more may be sent (L5). */
  write<T extends { readonly kind: string }>(verb: () => Promise<T | Fenced>): Promise<T | null>;
}

export interface LedgerWriterOptions {
  readonly leaseHolder: Pick<LeaseHolder, 'ensureFresh' | 'fence'>;
  readonly clock: Clock;
  readonly random: Random;
}

export function createLedgerWriter(options: LedgerWriterOptions): LedgerWriter {
  return {
    write: async (verb) => {
      const reply = await untilKnown(options, verb);
      if (!isRefused(reply)) return reply;
      if (reply.kind === 'fenced') options.leaseHolder.fence(reply.epoch);
      return null;
    },
  };
}

/** A renewal that failed is of unknown fate as well, and is tried again like any other word to the ledger. */
async function untilKnown<T>(
  { clock, random, leaseHolder }: LedgerWriterOptions,
  verb: () => Promise<T | Fenced>,
): Promise<T | Fenced | Resigned> {
  for (let tries = 1; ; tries += 1) {
    try {
      const holder = await leaseHolder.ensureFresh();
      return holder.kind === 'fresh' ? await verb() : holder;
    } catch (cause) {
      if (tries === MAX_TRIES || isOfBrokenStore(cause)) throw unknownFate(cause);
    }
    await clock.sleep(fullJitterMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS, random));
  }
}

/** A store that failed to write, or lost writes, is not used again: a successor finds out what it holds (L18). */
function isOfBrokenStore(cause: unknown): boolean {
  return cause instanceof RolloutError && (cause.code === 'STORE_FAILED' || cause.code === 'LEDGER_BEHIND');
}

function unknownFate(cause: unknown): RolloutError {
  if (cause instanceof RolloutError) return cause;
  return new RolloutError('STORE_FAILED', 'the ledger gave no answer; start again, nothing recorded is lost', { cause });
}

function isRefused(reply: { readonly kind: string } | Fenced | Resigned): reply is Fenced | Resigned {
  return reply.kind === 'fenced' || reply.kind === 'resigned';
}

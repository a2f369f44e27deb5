import { fullJitterMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { Keeper } from '../lease/contract.ts';
import type { Fenced } from '../ledger/contract.ts';

/** So many answers of unknown fate in a row mean that the store is broken; the process ends and its successor scans. */
const MAX_TRIES = 12;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 1_000;

/** Every word to the ledger goes through here: only as the fresh holder of the lease, and until its fate is known (L20). */
export interface LedgerWriter {
  /** Null: fenced, and `onFenced` has been told; nothing more is to be said to anybody (L5). */
  write<T extends { readonly kind: string }>(verb: () => Promise<T | Fenced>): Promise<T | null>;
}

export interface LedgerWriterOptions {
  readonly keeper: Pick<Keeper, 'ensureFresh'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFenced: (fenced: Fenced) => void;
}

export function createLedgerWriter(options: LedgerWriterOptions): LedgerWriter {
  return {
    write: async (verb) => {
      const reply = await untilKnown(options, verb);
      if (!isFenced(reply)) return reply;
      options.onFenced(reply);
      return null;
    },
  };
}

/** A renewal that failed is of unknown fate as well, and is tried again like any other word to the ledger. */
async function untilKnown<T>({ clock, random, keeper }: LedgerWriterOptions, verb: () => Promise<T | Fenced>): Promise<T | Fenced> {
  for (let tries = 1; ; tries += 1) {
    try {
      const holder = await keeper.ensureFresh();
      return holder.kind === 'fenced' ? holder : await verb();
    } catch (cause) {
      if (tries === MAX_TRIES || isOfBrokenStore(cause)) throw unknownFate(cause);
    }
    await clock.sleep(fullJitterMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS, random));
  }
}

/** A store that could not write may not be written to again as if nothing had been: its successor finds out what is on disk (L18). */
function isOfBrokenStore(cause: unknown): boolean {
  return cause instanceof RolloutError && cause.code === 'STORE_FAILED';
}

function unknownFate(cause: unknown): RolloutError {
  if (cause instanceof RolloutError) return cause;
  return new RolloutError('STORE_FAILED', 'the ledger gave no answer; start again, nothing recorded is lost', { cause });
}

function isFenced(reply: { readonly kind: string } | Fenced): reply is Fenced {
  return reply.kind === 'fenced';
}

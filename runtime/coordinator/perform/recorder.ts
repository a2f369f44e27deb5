import { mustGet } from '../../base/assert.ts';
import type { ResultLog } from '../../results/log/contract.ts';
import type { Recording } from '../state/commands.ts';
import type { LedgerWriter } from './ledger-writer.ts';

/** Bytes in one append: one write and one sync carry so much. */
const MAX_APPEND_BYTES = 8 * 1024 * 1024;
const MAX_APPEND_FRAMES = 4_096;

export interface Recorder {
  add(recordings: readonly Recording[]): void;
}

export interface RecorderOptions {
  readonly log: Pick<ResultLog, 'append'>;
  readonly writer: LedgerWriter;
  /** These outcomes are in the log, on disk: the ledger may settle them. */
  readonly onDurable: (recordings: readonly Recording[]) => void;
  readonly onFailure: (cause: unknown) => void;
}

/** Groups outcomes: while one batch is being written, the next gathers. The machine's locks keep each item to one batch (L19). */
export function createRecorder(options: RecorderOptions): Recorder {
  const pending: Recording[] = [];
  let isWriting = false;
  const drain = async (): Promise<void> => {
    isWriting = true;
    while (pending.length > 0) await append(options, takeBatch(pending));
    isWriting = false;
  };
  return {
    add: (recordings) => {
      for (const recording of recordings) pending.push(recording);
      if (!isWriting) drain().catch(options.onFailure);
    },
  };
}

/**
 * The order of effects: the log is durable, then the ledger settles, then the machine hears it (and only then the worker). One that
 * stood still looks at its lease first: where another coordinator has taken over, not even its own segment grows any more (L5).
 */
async function append({ writer, log, onDurable }: RecorderOptions, batch: readonly Recording[]): Promise<void> {
  if ((await writer.write(async () => ({ kind: 'fresh' }))) === null) return;
  await log.append(batch.map(({ outcome }) => outcome));
  // The settlement of this batch and the append of the next go on side by side: no item is in both.
  onDurable(batch);
}

function takeBatch(pending: Recording[]): readonly Recording[] {
  let bytes = 0;
  let count = 0;
  while (count < pending.length && count < MAX_APPEND_FRAMES) {
    bytes += mustGet(pending[count], 'recording').outcome.line.length;
    if (count > 0 && bytes > MAX_APPEND_BYTES) break;
    count += 1;
  }
  return pending.splice(0, count);
}

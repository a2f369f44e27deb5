import { present } from '../base/assert.ts';
import type { Ledger, Settlement, SettleVerdict } from '../ledger/contract.ts';
import { plainRef, type WorkerId } from '../model/row.ts';
import type { ResultLog } from '../results/contract.ts';
import type { Recording } from './commands.ts';
import type { LedgerWriter } from './ledger-writer.ts';

/** Bytes in one append: one write and one sync carry so much. */
const MAX_APPEND_BYTES = 8 * 1024 * 1024;
const MAX_APPEND_FRAMES = 4_096;

export interface Recorder {
  add(recordings: readonly Recording[]): void;
}

export interface RecorderOptions {
  readonly log: ResultLog;
  readonly ledger: Pick<Ledger, 'settle'>;
  readonly writer: LedgerWriter;
  readonly onRecorded: (recordings: readonly Recording[], verdicts: readonly SettleVerdict[]) => void;
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
      pending.push(...recordings);
      if (!isWriting) drain().catch(options.onFailure);
    },
  };
}

/**
 * The order of effects: the log is durable, then the ledger settles, then the machine hears it (and only then the worker). One that
 * stood still looks at its lease first: where another coordinator has taken over, not even its own segment grows any more (L5).
 */
async function append(options: RecorderOptions, batch: readonly Recording[]): Promise<void> {
  if ((await options.writer.write(async () => ({ kind: 'fresh' }))) === null) return;
  await options.log.append(batch.map(({ outcome }) => outcome));
  // The settle of this batch and the append of the next go on side by side: no item is in both.
  settle(options, batch).catch(options.onFailure);
}

async function settle({ ledger, writer, onRecorded, log }: RecorderOptions, batch: readonly Recording[]): Promise<void> {
  const byWorker = groupByWorker(batch);
  await Promise.all(
    [...byWorker].map(async ([worker, recordings]) => {
      const settled = await writer.write(() => ledger.settle(log.epoch, worker, recordings.map(settlementOf)));
      // `gone` after a finish: every item is recorded by then.
      if (settled !== null) onRecorded(recordings, settled.kind === 'gone' ? recordings.map(() => 'recorded') : settled.verdicts);
    }),
  );
}

function groupByWorker(batch: readonly Recording[]): ReadonlyMap<WorkerId, Recording[]> {
  const groups = new Map<WorkerId, Recording[]>();
  for (const recording of batch) {
    const group = groups.get(recording.worker);
    if (group === undefined) groups.set(recording.worker, [recording]);
    else group.push(recording);
  }
  return groups;
}

function settlementOf({ outcome }: Recording): Settlement {
  return { ...plainRef(outcome), isResult: outcome.kind === 'result' };
}

function takeBatch(pending: Recording[]): readonly Recording[] {
  let bytes = 0;
  let count = 0;
  while (count < pending.length && count < MAX_APPEND_FRAMES) {
    bytes += present(pending[count], 'recording').outcome.line.length;
    if (count > 0 && bytes > MAX_APPEND_BYTES) break;
    count += 1;
  }
  return pending.splice(0, count);
}

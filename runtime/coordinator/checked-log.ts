import { stat } from 'node:fs/promises';
import { assert } from '../base/assert.ts';
import { RolloutError } from '../base/errors.ts';
import type { Indexing } from '../input/indexer.ts';
import { openInput } from '../input/reader.ts';
import type { Scan } from '../ledger/contract.ts';
import { inspectLog } from '../results/damage.ts';
import { damaged } from '../results/damage-text.ts';
import { listSegments } from '../results/place.ts';
import { createLedgerWriter } from './ledger-writer.ts';
import { type Again, reopenItems } from './reopening.ts';
import type { ServeOptions } from './serve.ts';

/** A log of this size is read in a quarter of a second, for which a successor may keep its workers waiting. */
const READ_FIRST_BYTES: number = 64 * 2 ** 20;

export interface CheckedLog {
  readonly scan: Scan;
  /** Rejects where the log turns out to be damaged. */
  readonly checked: Promise<void>;
}

/**
 * Compares the log with the ledger before anything is executed (L39); a large log is read beside the run instead. With `again` it is always read first, and what was asked for is opened again: then the scan is a new one.
 */
export async function checkLog(options: ServeOptions, indexing: Indexing): Promise<CheckedLog> {
  const { files, ledger, recovered, again } = options;
  if (again.failed || again.damaged) return { scan: await reopenAsked(options, indexing, again), checked: Promise.resolve() };
  const checked = inspectLog({ ledger, dir: files.segments, tempDir: files.index }, async (_, damage) => {
    if (damage.lost > 0) throw damaged(damage, 'executed');
  });
  if ((await logBytes(files.segments)) <= READ_FIRST_BYTES) await checked;
  // Who serves hears of it.
  checked.catch(() => undefined);
  return { scan: recovered.scan, checked };
}

async function logBytes(dir: string): Promise<number> {
  let bytes = 0;
  for (const { path } of await listSegments(dir)) bytes += (await stat(path)).size;
  return bytes;
}

async function reopenAsked(options: ServeOptions, indexing: Indexing, again: Again): Promise<Scan> {
  const { files, ledger, recovered, log, clock, random } = options;
  const { epoch } = recovered.keeper.lease();
  await indexing.done;
  const onFenced = (byEpoch: number): void => options.onFenced(epoch, byEpoch);
  const writer = createLedgerWriter({ keeper: recovered.keeper, clock, random, onFenced: (fenced) => onFenced(fenced.epoch) });
  const reader = await openInput({ inputPath: options.inputPath, dir: files.index });
  try {
    const reopened = await reopenItems({
      ...{ ledger, again, reader, dir: files.segments, tempDir: files.index },
      reopen: (reopening) => writer.write(() => ledger.reopen(epoch, reopening)),
    });
    log.info({ ...reopened }, 'recorded items run again, as asked; lines that are no items stay as they are');
  } finally {
    await reader.close();
  }
  const scan = await writer.write(() => ledger.scan(epoch));
  return scan ?? recovered.scan;
}

/** The input has grown: the run goes on, and nothing that is recorded is taken back (L45). */
export async function reopenForMore({ ledger, recovered, onFenced }: ServeOptions): Promise<void> {
  const { epoch } = recovered.keeper.lease();
  const reply = await ledger.reopen(epoch, { pending: [], own: [], tallies: [] });
  if (reply.kind === 'reopened') return;
  assert(reply.kind === 'fenced', 'a reopening that names no item refuses none');
  onFenced(epoch, reply.epoch);
  throw new RolloutError('FENCED', `another coordinator holds epoch ${reply.epoch}; this one ends`);
}

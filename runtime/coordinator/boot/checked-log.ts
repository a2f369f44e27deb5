import { assert } from '../../base/assert.ts';
import type { Log } from '../../base/log.ts';
import { customIdsOf } from '../../input/index/custom-ids.ts';
import type { Indexing } from '../../input/index/indexer.ts';
import { openInput } from '../../input/index/reader.ts';
import type { Scan } from '../../ledger/contract.ts';
import type { CoordinatorLedger } from '../../ledger/views.ts';
import type { Epoch, Stamp } from '../../model/row.ts';
import type { ItemForm } from '../../model/session.ts';
import type { LedgerReads } from '../../results/log/contract.ts';
import { inspectLog } from '../../results/log/damage.ts';
import { damaged } from '../../results/log/damage-text.ts';
import type { PlaceReads } from '../../results/place/contract.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import type { LedgerWriter } from '../perform/ledger-writer.ts';
import { type Again, reopenItems, takenOver } from './reopening.ts';

/** A log of this size is read in a quarter of a second, for which a successor may keep its workers waiting. */
const READ_FIRST_BYTES: number = 64 * 2 ** 20;

export interface LogCheck {
  readonly inputPath: string;
  readonly paths: Pick<StatePaths, 'indexDir'>;
  /** Where the results are. */
  readonly place: PlaceReads;
  readonly form: ItemForm;
  readonly again: Again;
  readonly ledger: Pick<CoordinatorLedger, 'reopen' | 'scan'>;
  /** Of the same ledger; each read is asked until it is answered. */
  readonly reads: LedgerReads;
  readonly log: Log;
}

/** What the holder of the lease has found, before it is compared with the log. */
export interface UncheckedLog {
  readonly epoch: Epoch;
  readonly scan: Scan;
  readonly writer: LedgerWriter;
  readonly nextStamp: () => Stamp;
  readonly indexing: Pick<Indexing, 'done'>;
}

export interface CheckedLog {
  readonly scan: Scan;
  /** Rejects where the log turns out to be damaged. */
  readonly checked: Promise<void>;
}

/**
 * Compares the log with the ledger before anything is executed (L39); a large log is read while the run goes on. With `again` it is
 * always read first, what was asked for is reopened, and the ledger is scanned again.
 */
export async function checkLog(check: LogCheck, unchecked: UncheckedLog): Promise<CheckedLog> {
  const { inputPath, paths, place, form, reads, again } = check;
  if (again.failed || again.damaged) return { scan: await reopenAsked(check, unchecked), checked: Promise.resolve() };
  const checked = inspectLog({ ledger: reads, place, tempDir: paths.indexDir }, async (_, damage) => {
    if (damage.lost === 0) return;
    throw damaged(damage, 'executed', await customIdsOf({ inputPath, dir: paths.indexDir, form }, damage.indexes));
  });
  // A rejection while nobody waits yet would end the process; `serve` waits for the promise that is returned.
  checked.catch(() => undefined);
  if ((await logBytes(place)) <= READ_FIRST_BYTES) await checked;
  return { scan: unchecked.scan, checked };
}

async function logBytes(place: PlaceReads): Promise<number> {
  let bytes = 0;
  for (const epoch of await place.epochs()) {
    const segment = await place.read(epoch);
    try {
      bytes += await segment.size();
    } finally {
      await segment.close();
    }
  }
  return bytes;
}

async function reopenAsked({ inputPath, paths, place, ledger, reads, again, log }: LogCheck, unchecked: UncheckedLog): Promise<Scan> {
  const { epoch, writer, nextStamp, indexing } = unchecked;
  await indexing.done;
  const reader = await openInput({ inputPath, dir: paths.indexDir });
  try {
    const reopened = await reopenItems({
      ...{ ledger: reads, again, reader, place, tempDir: paths.indexDir },
      reopen: (reopening) => {
        const by = nextStamp();
        return writer.write(() => ledger.reopen(by, reopening));
      },
    });
    log.info({ ...reopened }, 'recorded items run again, as asked; lines that are no items stay as they are');
  } finally {
    await reader.close();
  }
  const scan = await writer.write(() => ledger.scan(epoch));
  if (scan === null) throw takenOver();
  return scan;
}

/** The input has grown: the run goes on, and nothing that is recorded is reopened (L45). */
export async function reopenForMore(ledger: Pick<CoordinatorLedger, 'reopen'>, by: Stamp, writer: LedgerWriter): Promise<void> {
  const reply = await writer.write(() => ledger.reopen(by, { pending: [], own: [], tallies: [] }));
  if (reply === null) throw takenOver();
  assert(reply.kind === 'reopened', 'a reopening that names no item refuses none');
}

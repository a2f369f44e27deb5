import type { Epoch, ItemIndex } from '../../model/row.ts';
import type { Progress } from '../../model/run.ts';
import type { EpochTally } from '../../model/tally.ts';
import { PAGE_BYTES, pageOf } from '../bitmap.ts';
import { unpackTally } from '../codec.ts';
import type { Fenced, Scan } from '../contract.ts';
import { progressOf } from '../rules/run.ts';
import { bitsOf, scan } from '../rules/scan.ts';
import { readStored } from './scan.ts';
import { NO_EPOCH, type Session } from './session.ts';
import { countOf, entriesOf, headOf, pagesOf, rowsOf, stateRowOf, workerRowOf } from './stored-rows.ts';

/** Half a million items in one round trip. */
const PAGES_AT_ONCE = 128;

export async function readProgress(session: Session): Promise<Progress> {
  const [, head, state, redone] = (await session.runBytes('progress', NO_EPOCH)) as readonly Buffer[];
  return progressOf(headOf(head ?? new Uint8Array(), countOf(redone)), stateRowOf(state ?? new Uint8Array())?.state ?? { kind: 'running' });
}

export async function readTallies(session: Session): Promise<readonly EpochTally[]> {
  const [, flat] = (await session.runBytes('tallies', NO_EPOCH)) as readonly [Buffer, readonly Buffer[]];
  return entriesOf(flat)
    .map(([epoch, bytes]) => ({ epoch: Number(epoch.toString()), ...unpackTally(bytes) }))
    .sort((a, b) => a.epoch - b.epoch);
}

export async function readBits(session: Session, from: ItemIndex, count: number): Promise<Uint8Array> {
  const bits = new Uint8Array(count);
  for (let at = from; at < from + count; ) {
    const firstPage = pageOf(at);
    const stop = Math.min(from + count, (firstPage + PAGES_AT_ONCE) * PAGE_BYTES * 8);
    const lastByte = (pageOf(stop - 1) + 1) * PAGE_BYTES - 1;
    const [, done, failed] = (await session.runBytes('bits', [...NO_EPOCH, firstPage * PAGE_BYTES, lastByte])) as readonly [
      Buffer,
      Buffer,
      Buffer,
    ];
    const pages = { done: pagesOf(done), failed: pagesOf(failed) };
    bits.set(bitsOf({ page: (bit, page) => pages[bit].get(page - firstPage) ?? null }, at, stop - at), at - from);
    at = stop;
  }
  return bits;
}

/** The rulebook judges what was read, and finds what contradicts itself (L6). */
export async function scanStored(session: Session, epoch: Epoch): Promise<Scan | Fenced> {
  const stored = await readStored(session, epoch);
  if ('kind' in stored) return stored;
  for (const [worker, row] of stored.workers) session.names.keep(workerRowOf(row).number, worker);
  return scan(rowsOf(stored), epoch).reply;
}

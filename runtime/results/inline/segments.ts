import { RolloutError } from '../../base/errors.ts';
import { NO_EPOCH, type Session } from '../../ledger/redis/session.ts';
import { entriesOf } from '../../ledger/redis/stored-rows.ts';
import type { Epoch } from '../../model/row.ts';
import type { SegmentBytes } from '../place/contract.ts';

/** As lua/lib/segments.lua has it: a script touches one chunk. */
export const CHUNK_BYTES: number = 4 * 2 ** 20;
/** A script reads or appends no more, which takes it a millisecond or so. */
export const PART_BYTES: number = 2 ** 20;

/** What is asked of the ledger's own connection. */
export type InlineSession = Pick<Session, 'under' | 'runBytes'>;

const EPOCH = /^\d+$/;

export interface StoredPlace {
  readonly placeId: string | null;
  /** Which list the run has, as bind-input.lua wrote it down; null where it has not. */
  readonly input: string | null;
  /** Of each segment how many bytes it has, ascending by epoch. */
  readonly bytes: ReadonlyMap<Epoch, number>;
}

export async function storedPlace(session: InlineSession): Promise<StoredPlace> {
  const [, flat] = (await session.runBytes('segments', NO_EPOCH)) as readonly [Buffer, readonly Buffer[]];
  const fields = entriesOf(flat).map(([field, value]) => [field.toString(), value.toString()] as const);
  const sizes = fields
    .filter(([field]) => EPOCH.test(field))
    .map(([field, value]) => [Number(field), Number.parseInt(value, 10)] as const)
    .sort(([a], [b]) => a - b);
  const textOf = (name: string): string | null => fields.find(([field]) => field === name)?.[1] ?? null;
  return { placeId: textOf('place'), input: textOf('input'), bytes: new Map(sizes) };
}

export async function openSegment(session: InlineSession, epoch: Epoch, path: string): Promise<SegmentBytes> {
  const size = async (): Promise<number> => {
    const bytes = (await storedPlace(session)).bytes.get(epoch);
    if (bytes === undefined) throw new RolloutError('SEGMENT_MISSING', `there is no ${path}`);
    return bytes;
  };
  await size();
  return { size, read: (into, position) => readChunks(session, epoch, into, position), close: async () => undefined };
}

async function readChunks(session: InlineSession, epoch: Epoch, into: Uint8Array, position: number): Promise<number> {
  for (let filled = 0; filled < into.length; ) {
    const from = (position + filled) % CHUNK_BYTES;
    const wanted = Math.min(into.length - filled, CHUNK_BYTES - from, PART_BYTES);
    const number = Math.floor((position + filled) / CHUNK_BYTES);
    const [, bytes] = (await session.runBytes('read-segment', [...NO_EPOCH, epoch, number, from, from + wanted - 1])) as readonly [
      Buffer,
      Buffer,
    ];
    into.set(bytes, filled);
    filled += bytes.length;
    if (bytes.length < wanted) return filled;
  }
  return into.length;
}

import { RolloutError } from '../../base/errors.ts';
import type { Fenced } from '../../ledger/contract.ts';
import type { ResultsRoom } from '../../model/results-kind.ts';
import type { Epoch } from '../../model/row.ts';
import type { Appended, Full, SegmentWriter } from '../place/contract.ts';
import { fullReason } from './limit.ts';
import { CHUNK_BYTES, type InlineSession, PART_BYTES } from './segments.ts';

export interface InlineSegment {
  readonly session: InlineSession;
  readonly epoch: Epoch;
  /** For people: which segment it is. */
  readonly path: string;
  /** So many it has. */
  readonly bytes: number;
  /** So many it may have. */
  readonly mostBytes: number;
  /** So many all segments together may have. */
  readonly limitBytes: number;
}

/**
 * Appends go out part by part, each with the byte at which the segment has to end. One that is asked again begins with what is there
 * already, which the scripts compare and leave as it is; so it goes on where its answer was lost.
 */
export class InlineWriter implements SegmentWriter {
  readonly #segment: InlineSegment;
  /** Up to here everything is known to be there. */
  #bytes: number;

  constructor(segment: InlineSegment) {
    this.#segment = segment;
    this.#bytes = segment.bytes;
  }

  /** All of it or nothing where the limit is: no outcome is recorded in part. */
  async append(bytes: Uint8Array): Promise<Appended | Full | Fenced> {
    const { mostBytes, limitBytes } = this.#segment;
    const end = this.#bytes + bytes.length;
    if (end > mostBytes) return { kind: 'full', reason: fullReason(limitBytes + end - mostBytes, limitBytes) };
    for (let at = this.#bytes; at < end; ) {
      const part = Math.min(end - at, CHUNK_BYTES - (at % CHUNK_BYTES), PART_BYTES);
      const fenced = await this.#appendPart(at, bytes.subarray(at - this.#bytes, at - this.#bytes + part));
      if (fenced !== null) return fenced;
      at += part;
    }
    this.#bytes = end;
    return { kind: 'appended' };
  }

  room(): ResultsRoom {
    const { mostBytes, limitBytes } = this.#segment;
    return { usedBytes: limitBytes - mostBytes + this.#bytes, limitBytes };
  }

  /** It holds nothing open. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #appendPart(at: number, part: Uint8Array): Promise<Fenced | null> {
    const { session, epoch, path } = this.#segment;
    const view = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const reply = await session.under(epoch, 'append-segment', [at, view]);
    if ('kind' in reply) return reply as Fenced;
    if (reply[0] === 'appended') return null;
    throw new RolloutError('RESULT_LOG_FAILED', `${path} has lost bytes, or has others than this coordinator wrote, before byte ${at}`);
  }
}

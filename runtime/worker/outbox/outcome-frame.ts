import { assert } from '../../base/assert.ts';
import type { Outcome } from '../../model/session.ts';
import type { Frame } from '../../results/log/contract.ts';

/**
 * How an outcome lies in a frame of the outbox. Before its line stands what the frame itself has no room for; numbers little-endian:
 *
 *   where its batch begins in the file (4) · bytes of the file before (4) · claim epoch (4) · delay in ms (4) · HTTP status (2)
 *   · flags (1) · zero (1) · length of the code (2) · zeros (2) · code
 *
 * The first two say what was on disk before it was written, so that a later reader knows what must not be missing.
 */

const AT = { batch: 0, before: 4, claimEpoch: 8, delayMs: 12, httpStatus: 16, flags: 18, codeBytes: 20, code: 24 } as const;
const FLAG = { isRetryable: 1, isProbe: 2 } as const;

/** Where a batch was written. */
export interface BatchPlace {
  /** Where it begins in its file: all that stands before was on disk before. */
  readonly batchAt: number;
  /** As many bytes of the file with the number below were on disk before; 0 where that is not known. */
  readonly before: number;
}

/** An outcome as it lies in a file. Its line is a view of the file's bytes. */
export interface StoredOutcome extends BatchPlace {
  readonly outcome: Outcome;
}

/** One batch. The details of all share one buffer. */
export function toFrames(outcomes: readonly Outcome[], place: BatchPlace): readonly Frame[] {
  const codes = outcomes.map(({ code }) => (code === '' ? 0 : Buffer.byteLength(code)));
  const details = Buffer.alloc(codes.reduce((sum, bytes) => sum + AT.code + bytes, 0));
  let start = 0;
  return outcomes.map((outcome, at) => {
    const end = start + AT.code + (codes[at] ?? 0);
    const detail = details.subarray(start, end);
    start = end;
    writeDetail(detail, outcome, place);
    return { index: outcome.index, attempt: outcome.attempt, kind: outcome.kind, detail, line: outcome.line };
  });
}

function writeDetail(detail: Buffer, outcome: Outcome, { batchAt, before }: BatchPlace): void {
  detail.writeUInt32LE(batchAt, AT.batch);
  detail.writeUInt32LE(before, AT.before);
  detail.writeUInt32LE(outcome.claimEpoch, AT.claimEpoch);
  detail.writeUInt32LE(outcome.delayMs, AT.delayMs);
  detail.writeUInt16LE(outcome.httpStatus, AT.httpStatus);
  detail.writeUInt8((outcome.isRetryable ? FLAG.isRetryable : 0) | (outcome.isProbe ? FLAG.isProbe : 0), AT.flags);
  detail.writeUInt16LE(detail.length - AT.code, AT.codeBytes);
  detail.write(outcome.code, AT.code, 'utf8');
}

/** Of a whole frame, whose checksum has been compared. */
export function fromFrame({ index, attempt, kind, line: bytes }: Frame): StoredOutcome {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineAt = body.length < AT.code ? Number.POSITIVE_INFINITY : AT.code + body.readUInt16LE(AT.codeBytes);
  assert(lineAt <= body.length, 'a whole frame of the outbox holds its detail');
  const flags = body.readUInt8(AT.flags);
  const outcome: Outcome = {
    index,
    attempt,
    claimEpoch: body.readUInt32LE(AT.claimEpoch),
    kind,
    line: body.subarray(lineAt),
    httpStatus: body.readUInt16LE(AT.httpStatus),
    code: body.toString('utf8', AT.code, lineAt),
    isRetryable: (flags & FLAG.isRetryable) !== 0,
    isProbe: (flags & FLAG.isProbe) !== 0,
    delayMs: body.readUInt32LE(AT.delayMs),
  };
  return { outcome, batchAt: body.readUInt32LE(AT.batch), before: body.readUInt32LE(AT.before) };
}

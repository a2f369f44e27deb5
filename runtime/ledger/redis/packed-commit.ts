import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import { MAX_INDEX } from '../../model/row.ts';
import type { Claim, CommitRequest, HandBack, HandBackReason, Pick } from '../contract.ts';
import { COUNTED_AS } from '../rules/hand-back.ts';
import { NamesTable } from './names-table.ts';
import { putRow, ROW_BYTES, requireIndex } from './packed-rows.ts';
import { packSegments, type Segment, segmentsOf } from './packed-settles.ts';

/** A commit as lua/commit.lua takes it, little-endian. */
export interface PackedCommit {
  readonly segments: readonly Segment[];
  readonly args: readonly (Buffer | string)[];
}

const HAND_BACK_BYTES: number = ROW_BYTES + 9;
const CLAIM_BYTES = 4;
const PICK_BYTES = 9;
const COUNTER_CODE = { failures: 1, suspicions: 2, crashes: 3 } as const;
const PICK_CODE = { cursor: 0, index: 1, redone: 2 } as const;

export function packCommit({ settles, handBacks, claims }: CommitRequest): PackedCommit {
  const names = new NamesTable();
  const segments = segmentsOf(settles);
  const parts = [packSegments(segments, names), packHandBacks(handBacks, names), packClaims(claims, names)];
  return { segments, args: [...parts, ...names.all] };
}

function packHandBacks(handBacks: readonly HandBack[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(handBacks.length * HAND_BACK_BYTES);
  let at = 0;
  for (const one of handBacks) {
    assert(isU32(one.delayMs), 'a delay is a whole number of milliseconds in 32 bits');
    at = bytes.writeUInt8(counterCode(one.reason), putRow(bytes, at, one, names));
    at = bytes.writeUInt32LE(one.restores, bytes.writeUInt32LE(one.delayMs, at));
  }
  return bytes;
}

function counterCode(reason: HandBackReason): number {
  const counter = COUNTED_AS[reason];
  return counter === null ? 0 : COUNTER_CODE[counter];
}

function packClaims(claims: readonly Claim[], names: NamesTable): Buffer {
  const picks = claims.reduce((sum, claim) => sum + claim.picks.length, 0);
  const bytes = Buffer.allocUnsafe(claims.length * CLAIM_BYTES + picks * PICK_BYTES);
  let at = 0;
  for (const claim of claims) {
    at = bytes.writeUInt16LE(names.placeOf(claim.worker), at);
    at = bytes.writeUInt16LE(claim.picks.length, at);
    for (const pick of claim.picks) at = putPick(bytes, at, pick);
  }
  return bytes;
}

function putPick(bytes: Buffer, at: number, pick: Pick): number {
  if ('cursor' in pick) {
    const isWhole = Number.isInteger(pick.count) && pick.count >= 0 && pick.cursor + pick.count <= MAX_INDEX + 1;
    assert(isWhole, 'a claim beyond 32 bits');
    return putFields(bytes, at, PICK_CODE.cursor, pick.cursor, pick.count);
  }
  requireIndex(pick.index);
  return putFields(bytes, at, pick.isRedone === true ? PICK_CODE.redone : PICK_CODE.index, pick.index, pick.lastAttempt);
}

function putFields(bytes: Buffer, at: number, code: number, a: number, b: number): number {
  return bytes.writeUInt32LE(b, bytes.writeUInt32LE(a, bytes.writeUInt8(code, at)));
}

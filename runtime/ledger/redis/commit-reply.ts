import { assert } from '../../base/assert.ts';
import type { Claimed, CommitRequest, Committed, Gone, Granted, HandBackVerdict } from '../contract.ts';
import { type FoundReply, foundOf, rowAt } from './item-reply.ts';
import type { NameBook } from './names.ts';
import { type Segment, verdictsOf } from './packed-settles.ts';

/** lua/commit.lua: 'committed', writes, settlements, hand-backs, claims (0: paused), reason of the pause. */
export type CommitReply = readonly [
  kind: string,
  writes: number,
  settled: readonly unknown[],
  handedBack: readonly (readonly [number, ...unknown[]])[],
  claimed: 0 | readonly ClaimReply[],
  reason: string,
];

type ClaimReply = readonly [cursor: number, granted: readonly number[], found: readonly FoundReply[]];

export function committedOf(
  { settles, claims }: CommitRequest,
  segments: readonly Segment[],
  [, , settled, handedBack, claimed, reason]: CommitReply,
  names: NameBook,
): Committed {
  return {
    kind: 'committed',
    settled: verdictsOf(settles.length, segments, settled),
    handedBack: handedBack.map((reply) => handBackOf(reply, names)),
    claimed: claimed === 0 ? claims.map(() => paused(reason)) : claimed.map((reply) => claimOf(reply, names)),
  };
}

function paused(reason: string): Gone {
  return { kind: 'gone', state: { kind: 'paused', reason } };
}

function handBackOf(reply: readonly [number, ...unknown[]], names: NameBook): HandBackVerdict {
  if (reply[0] === 0) return { kind: 'refused', found: foundOf(reply[1] as FoundReply, names) };
  const [, lastAttempt = 0, failures = 0, delayMs = 0, suspicions = 0, crashes = 0, restores = 0] = reply as readonly number[];
  const other = rowAt(reply as readonly number[], 7, names);
  return { kind: 'returned', faults: { failures, delayMs, suspicions, crashes, restores }, lastAttempt, other };
}

function claimOf([cursor, granted, found]: ClaimReply, names: NameBook): Claimed {
  assert(granted.length % 3 === 0, 'a grant is from, count and attempt');
  const grants: Granted[] = [];
  for (let at = 0; at < granted.length; at += 3) {
    const [from = 0, count = 0, attempt = 0] = granted.slice(at, at + 3);
    grants.push({ from, count, attempt });
  }
  return { kind: 'claimed', granted: grants, found: found.map((one) => foundOf(one, names)), cursor };
}

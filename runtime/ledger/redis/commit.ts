import type { Epoch } from '../../model/row.ts';
import type { Claimed, CommitRequest, Committed, Fenced, Gone, HandBackVerdict, SettleVerdict } from '../contract.ts';
import { type CommitReply, committedOf } from './commit-reply.ts';
import { packCommit } from './packed-commit.ts';
import type { Session } from './session.ts';

/** While a script runs, the server serves nobody else: one of so many parts takes a few milliseconds. */
export const MOST_PARTS = 2_048;

/** One script in one round trip; a larger commit is cut, in its order, and each part of it is whole. */
export async function commit(session: Session, epoch: Epoch, request: CommitRequest): Promise<Committed | Gone | Fenced> {
  const settled: SettleVerdict[] = [];
  const handedBack: HandBackVerdict[] = [];
  const claimed: (Claimed | Gone)[] = [];
  for (const part of partsOf(request)) {
    const reply = await commitPart(session, epoch, part);
    if (reply.kind !== 'committed') return reply;
    for (const one of reply.settled) settled.push(one);
    for (const one of reply.handedBack) handedBack.push(one);
    for (const one of reply.claimed) claimed.push(one);
  }
  return { kind: 'committed', settled, handedBack, claimed };
}

export function partsOf(request: CommitRequest): readonly CommitRequest[] {
  const { settles, handBacks, claims } = request;
  const picks = claims.reduce((sum, claim) => sum + claim.picks.length, 0);
  if (settles.length + handBacks.length + picks <= MOST_PARTS) return [request];
  const none = { settles: [], handBacks: [], claims: [] };
  return [
    ...slices(settles).map((part) => ({ ...none, settles: part })),
    ...slices(handBacks).map((part) => ({ ...none, handBacks: part })),
    ...claims.map((claim) => ({ ...none, claims: [claim] })),
  ];
}

function slices<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / MOST_PARTS) }, (_, n) => all.slice(n * MOST_PARTS, (n + 1) * MOST_PARTS));
}

async function commitPart(session: Session, epoch: Epoch, request: CommitRequest): Promise<Committed | Gone | Fenced> {
  const { segments, args } = packCommit(request);
  const reply = await session.under(epoch, 'commit', args);
  if ('kind' in reply) return reply as Gone | Fenced;
  return session.named((names) => committedOf(request, segments, reply as unknown as CommitReply, names));
}

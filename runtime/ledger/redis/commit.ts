import type { Epoch } from '../../model/row.ts';
import type { Claimed, CommitRequest, Committed, Fenced, Gone, HandBackVerdict, SettleVerdict } from '../contract.ts';
import { joined, partsOf } from './commit-parts.ts';
import { type CommitReply, committedOf } from './commit-reply.ts';
import { packCommit } from './packed-commit.ts';
import type { Session } from './session.ts';

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
    for (const [n, place] of part.places.entries()) claimed[place] = joined(claimed[place], reply.claimed[n] as Claimed | Gone);
  }
  return { kind: 'committed', settled, handedBack, claimed };
}

async function commitPart(session: Session, epoch: Epoch, request: CommitRequest): Promise<Committed | Gone | Fenced> {
  const { segments, args } = packCommit(request);
  const reply = await session.under(epoch, 'commit', args);
  if ('kind' in reply) return reply as Gone | Fenced;
  return session.named((names) => committedOf(request, segments, reply as unknown as CommitReply, names));
}

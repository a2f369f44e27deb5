import { mustGet } from '../../base/assert.ts';
import type { Stamp } from '../../model/row.ts';
import type { Reopening } from '../../model/tally.ts';
import type { Fenced, Overtaken, ReopenReply } from '../contract.ts';
import { type FoundReply, foundOf } from './item-reply.ts';
import { packTallies, partsOf } from './packed-reopening.ts';
import type { Reply } from './refusal.ts';
import type { Session } from './session.ts';

/**
 * All items or none, and yet no script is long (L45). The list is sent in parts, which the store keeps aside; the last one decides, and then
 * the store carries the parts out one by one. Asked again after a cut, this goes on where the store is. What is decided and not yet carried
 * out when a coordinator ends is carried out by the next one, before its first verb (session.ts).
 */
export async function reopen(session: Session, by: Stamp, reopening: Reopening): Promise<ReopenReply | Overtaken | Fenced> {
  const reply = await decide(session, by, reopening);
  if ('kind' in reply) return reply;
  if (reply[0] === 'refused')
    return session.named((names) => ({ kind: 'refused', found: (reply[2] as readonly FoundReply[]).map((one) => foundOf(one, names)) }));
  const fenced = await session.carryOnReopening(by.epoch);
  return fenced ?? { kind: 'reopened' };
}

/** Until it is decided or refused. */
async function decide(
  session: Session,
  { epoch, serial }: Stamp,
  { pending, own, tallies }: Reopening,
): Promise<Reply | Overtaken | Fenced> {
  const parts = partsOf({ pending, own });
  for (let at = 0; ; ) {
    const part = mustGet(parts[at], 'a part that the store has not been sent');
    const last = at === parts.length - 1 ? ['1', packTallies(tallies)] : ['', ''];
    const reply = await session.under(epoch, 'reopen', [serial, at, part.pending, part.own, ...last]);
    if ('kind' in reply) return reply as Overtaken | Fenced;
    if (reply[0] !== 'staged') return reply;
    at = reply[2] as number;
  }
}

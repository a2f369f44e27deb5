import type { Fenced } from '../../ledger/contract.ts';
import type { Session } from '../../ledger/redis/session.ts';
import type { Epoch } from '../../model/row.ts';
import { type InlineSession, storedPlace } from './segments.ts';

/** The list of a run, as coordinators that share no directory know it. */
export interface KeptInput {
  /** Of its first `bytes` bytes. */
  readonly sha256: string;
  readonly bytes: number;
  readonly raw: boolean;
  readonly maxLineBytes: number;
}

export type BoundInput = { readonly kind: 'bound' } | { readonly kind: 'differs'; readonly kept: KeptInput };

/** Writes down which list the run has, where nothing is written down yet, or in the place of what is known to be there. */
export async function bindInput(session: Session, epoch: Epoch, input: KeptInput, instead: KeptInput | null): Promise<BoundInput | Fenced> {
  const reply = await session.under(epoch, 'bind-input', [textOf(input), instead === null ? '' : textOf(instead)]);
  if ('kind' in reply) return reply as Fenced;
  return reply[0] === 'bound' ? { kind: 'bound' } : { kind: 'differs', kept: JSON.parse(String(reply[2])) as KeptInput };
}

/** The list that the run has, for who reads it without its epoch; null where no coordinator has written one down. */
export async function keptInput(session: InlineSession): Promise<KeptInput | null> {
  const { input } = await storedPlace(session);
  return input === null ? null : (JSON.parse(input) as KeptInput);
}

/** Compared as it stands, so its members are always in this order. */
function textOf({ sha256, bytes, raw, maxLineBytes }: KeptInput): string {
  return JSON.stringify({ sha256, bytes, raw, maxLineBytes });
}

import type { Epoch } from '../../model/row.ts';
import type { Fenced, Gone, Refused, Verdict } from '../contract.ts';
import type { CoordinatorLedger } from '../views.ts';
import { commit } from './commit.ts';
import { slicesOf } from './commit-parts.ts';
import { type FoundReply, foundOf } from './item-reply.ts';
import { NamesTable } from './names-table.ts';
import { packCountedRows, packMoves, packRows, packSoleRows } from './packed-rows.ts';
import type { Reply } from './refusal.ts';
import type { ScriptName } from './scripts.ts';
import type { Session } from './session.ts';

type VerdictReply = readonly [1, number?] | readonly [0, FoundReply];
type ItemVerbs = Pick<CoordinatorLedger, 'commit' | 'reassign' | 'restore' | 'second' | 'look'>;

export function itemVerbs(session: Session): ItemVerbs {
  return {
    commit: (epoch, request) => commit(session, epoch, request),
    reassign: async (epoch, moves) => {
      const replies = await inSlices(session, epoch, 'reassign', moves, packMoves, new NamesTable());
      if ('kind' in replies) return replies;
      return { kind: 'reassigned', verdicts: await verdictsOf(session, replies, (attempt) => ({ kind: 'moved' as const, attempt })) };
    },
    restore: async (epoch, rows) => {
      const replies = await inSlices(session, epoch, 'restore', rows, packCountedRows, new NamesTable());
      if ('kind' in replies) return replies;
      return { kind: 'restored', verdicts: await verdictsOf(session, replies, () => ({ kind: 'restored' as const })) };
    },
    second: async (epoch, worker, rows) => {
      const names = new NamesTable();
      // The first name is the worker that gets them.
      names.placeOf(worker);
      const replies = await inSlices(session, epoch, 'second', rows, packSoleRows, names);
      if ('kind' in replies) return replies;
      return {
        kind: 'second-attempts',
        verdicts: await verdictsOf(session, replies, (attempt) => ({ kind: 'granted' as const, attempt })),
      };
    },
    look: async (epoch, rows) => {
      const replies = await inSlices(session, epoch, 'look', rows, packRows, new NamesTable());
      if ('kind' in replies) return replies as Fenced;
      const letters = replies.map((reply) => reply[2] as string).join('');
      return { kind: 'looked', verdicts: Array.from(rows, (_, at) => LOOKED[letters.charAt(at)] ?? 'stale') };
    },
  };
}

const LOOKED: Readonly<Record<string, Verdict>> = { l: 'live', r: 'recorded', s: 'stale' };

/** A script for each slice of the rows, in their order. */
async function inSlices<T>(
  session: Session,
  epoch: Epoch,
  verb: ScriptName,
  rows: readonly T[],
  pack: (rows: readonly T[], names: NamesTable) => Buffer,
  names: NamesTable,
): Promise<readonly Reply[] | Gone | Fenced> {
  const replies: Reply[] = [];
  for (const slice of slicesOf(rows)) {
    const packed = pack(slice, names);
    const reply = await session.under(epoch, verb, [packed, ...names.all]);
    if ('kind' in reply) return reply as Gone | Fenced;
    replies.push(reply);
  }
  return replies;
}

/** Verdicts of {1, attempt} or {0, what is there}. */
function verdictsOf<T>(session: Session, replies: readonly Reply[], done: (attempt: number) => T): Promise<readonly (T | Refused)[]> {
  const all = replies.flatMap((reply) => reply[2] as readonly VerdictReply[]);
  return session.named((names) =>
    all.map((one) => (one[0] === 1 ? done(one[1] ?? 0) : { kind: 'refused', found: foundOf(one[1], names) })),
  );
}

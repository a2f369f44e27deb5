import type { Epoch } from '../../model/row.ts';
import type { Fenced, Gone, Refused, Verdict } from '../contract.ts';
import type { CoordinatorLedger } from '../views.ts';
import { commit } from './commit.ts';
import { type FoundReply, foundOf } from './item-reply.ts';
import { NamesTable } from './names-table.ts';
import { packMoves, packRows, packSoleRows } from './packed-rows.ts';
import type { Session } from './session.ts';

type VerdictReply = readonly [1, number?] | readonly [0, FoundReply];
type ItemVerbs = Pick<CoordinatorLedger, 'commit' | 'reassign' | 'restore' | 'second' | 'look'>;

export function itemVerbs(session: Session): ItemVerbs {
  return {
    commit: (epoch, request) => commit(session, epoch, request),
    reassign: async (epoch, moves) => {
      const names = new NamesTable();
      const packed = packMoves(moves, names);
      const verdicts = await ask(session, epoch, 'reassign', [packed, ...names.all], (attempt) => ({ kind: 'moved' as const, attempt }));
      return 'kind' in verdicts ? verdicts : { kind: 'reassigned', verdicts };
    },
    restore: async (epoch, rows) => {
      const names = new NamesTable();
      const packed = packRows(rows, names);
      const verdicts = await ask(session, epoch, 'restore', [packed, ...names.all], () => ({ kind: 'restored' as const }));
      return 'kind' in verdicts ? verdicts : { kind: 'restored', verdicts };
    },
    second: async (epoch, worker, rows) => {
      const names = new NamesTable();
      names.placeOf(worker);
      const packed = packSoleRows(rows, names);
      const verdicts = await ask(session, epoch, 'second', [packed, ...names.all], (attempt) => ({ kind: 'granted' as const, attempt }));
      return 'kind' in verdicts ? verdicts : { kind: 'second-attempts', verdicts };
    },
    look: async (epoch, rows) => {
      const names = new NamesTable();
      const packed = packRows(rows, names);
      const reply = await session.under(epoch, 'look', [packed, ...names.all]);
      if ('kind' in reply) return reply as Fenced;
      return { kind: 'looked', verdicts: Array.from(rows, (_, at) => LOOKED[(reply[2] as string).charAt(at)] ?? 'stale') };
    },
  };
}

const LOOKED: Readonly<Record<string, Verdict>> = { l: 'live', r: 'recorded', s: 'stale' };

/** Verdicts of {1, attempt} or {0, what is there}. */
async function ask<T>(
  session: Session,
  epoch: Epoch,
  verb: 'reassign' | 'restore' | 'second',
  args: readonly (Buffer | string)[],
  done: (attempt: number) => T,
): Promise<readonly (T | Refused)[] | Gone | Fenced> {
  const reply = await session.under(epoch, verb, args);
  if ('kind' in reply) return reply as Gone | Fenced;
  return session.named((names) =>
    (reply[2] as readonly VerdictReply[]).map((one) =>
      one[0] === 1 ? done(one[1] ?? 0) : { kind: 'refused', found: foundOf(one[1], names) },
    ),
  );
}

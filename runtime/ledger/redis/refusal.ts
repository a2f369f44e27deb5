import { assert, assertNever } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import type { Epoch } from '../../model/row.ts';
import type { RunState } from '../../model/run.ts';
import type { Fenced, Gone, Overtaken } from '../contract.ts';
import { lostItem, storeBehind } from '../rules/draft.ts';
import { KEY_PATTERN } from './keys.ts';

/** What a script answers: a word, and what belongs to it. */
export type Reply = readonly [kind: string, ...rest: unknown[]];

export function stateOf(code: string, reason: string): RunState {
  if (code === 'p') return { kind: 'paused', reason };
  return code === 'c' ? { kind: 'completed' } : { kind: 'running' };
}

/** The refusals that any verb under an epoch may answer (lua/lib/head.lua); null where the reply is none. Throws where the store is broken. */
export function refusalOf(epoch: Epoch, [kind, ...rest]: Reply): Fenced | Gone | Overtaken | null {
  switch (kind) {
    case 'fenced':
      return { kind, epoch: rest[0] as Epoch };
    case 'gone':
      return { kind, state: stateOf(rest[0] as string, rest[1] as string) };
    case 'overtaken':
      return { kind };
    case 'behind':
      throw storeBehind(epoch, rest[0] === -1 ? null : (rest[0] as Epoch));
    case 'replaced':
      throw replaced();
    case 'lost':
      throw lostWrites(rest[0] as number);
    case 'corrupt':
      throw lostItem(rest[0] as number);
    case 'bug':
      return bug(rest[0] as string);
    default:
      return null;
  }
}

/** What any script may answer, also one under no epoch. */
export function requireCarriedOut([kind, ...rest]: readonly unknown[]): void {
  if (String(kind) === 'denied') throw deniedWrite(String(rest[0]), String(rest[1]));
  if (String(kind) === 'format') throw otherFormat(String(rest[0]), String(rest[1]));
}

function otherFormat(found: string, own: string): RolloutError {
  return new RolloutError(
    'STATE_UNREADABLE',
    `The run in Redis has format ${found}, and this version of rollout reads format ${own}. Finish the run with the version that began it, or start it over with --fresh.`,
  );
}

/** The access list was changed while the run goes on. */
function deniedWrite(command: string, key: string): RolloutError {
  return new RolloutError(
    'STORE_FAILED',
    `The Redis user of this run may not give ${command} on ${key}, so nothing of the request was written. Allow it with ACL SETUSER <user> ~${KEY_PATTERN} +${command.toLowerCase()}, or undo a rename-command of the server, then run the same command again; what is recorded is kept.`,
  );
}

function bug(what: string): never {
  assert(false, what);
  return assertNever(what as never);
}

/** Under the same epoch another store answers: nothing says what it has of this run (L40). */
function replaced(): RolloutError {
  return new RolloutError(
    'LEDGER_BEHIND',
    'Redis was replaced while this run used it: the run is there, but in another store than the one that this coordinator has won.',
  );
}

/** A fail-over, or an end of the append-only file that never came to the disk (L40). */
function lostWrites(writes: number): RolloutError {
  return new RolloutError(
    'LEDGER_LOST_WRITES',
    `Redis has lost writes of this run while it was in use (it is at write ${writes}): its machine failed, or a replica without them took over. This coordinator ends; the next one goes on under a new epoch, and what was lost is executed again.`,
  );
}

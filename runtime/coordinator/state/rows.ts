import { assert, mustGet } from '../../base/assert.ts';
import type { HandBack, Move } from '../../ledger/contract.ts';
import type { ItemRef, WorkerId } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import { command } from './commands.ts';
import { type ActiveClaim, type Item, refOf, rowOfWorker } from './item.ts';
import { lockItem, takeAway } from './items.ts';
import type { State } from './state.ts';
import { awaitItem, tellOf } from './workers.ts';

/** The few things that are done with a row; each locks the item until the ledger has answered. */

/** Hands an outcome over to the result log, and from there to the ledger (L19). */
export function record(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  lockItem(item, 'recording');
  commandRecord(state, worker, outcome);
}

/** The item is locked; the outcomes of one message become one command. */
export function commandRecord(state: State, worker: WorkerId, outcome: Outcome): void {
  const last = state.commands.at(-1);
  if (last?.kind === 'record') last.recordings.push({ worker, outcome });
  else command(state, { kind: 'record', recordings: [{ worker, outcome }] });
}

export function handBack(state: State, item: Item, live: ActiveClaim, reason: HandBack['reason'], delayMs: number): void {
  command(state, { kind: 'hand-back', returns: [returnOf(state, item, live, reason, delayMs)] });
}

/** Hands back the rows that one worker has of these items. */
export function handBackAll(state: State, worker: WorkerId, items: readonly Item[], reason: HandBack['reason']): void {
  const returns = items.map((item) => returnOf(state, item, mustGet(rowOfWorker(item, worker), 'a row of the worker'), reason, 0));
  if (returns.length > 0) command(state, { kind: 'hand-back', returns });
}

function returnOf(state: State, item: Item, live: ActiveClaim, reason: HandBack['reason'], delayMs: number): HandBack {
  takeAway(state, item, live, 'returning');
  return { index: item.index, row: live.row, restores: item.faults.restores, reason, delayMs };
}

/** Moves a row that is not started, and never will be where it is, to another worker (L32). */
export function reassign(state: State, item: Item, live: ActiveClaim, to: WorkerId): Move {
  assert(!live.isStarted, 'only a row that is not started moves');
  takeAway(state, item, live, 'moving');
  awaitItem(state, to, item.index);
  return { index: item.index, row: live.row, to };
}

/** What a worker releases in one message moves in one transaction. */
export function commandMove(state: State, move: Move): void {
  const last = state.commands.at(-1);
  if (last?.kind === 'reassign') state.commands[state.commands.length - 1] = { ...last, moves: [...last.moves, move] };
  else command(state, { kind: 'reassign', moves: [move] });
}

/** The worker may forget this pair. */
export function acknowledge(state: State, worker: WorkerId, ref: ItemRef): void {
  tellOf(state, worker, 'acknowledged', ref);
}

/** The ledger has confirmed that this pair can never settle (L29). */
export function giveStale(state: State, worker: WorkerId, ref: ItemRef): void {
  tellOf(state, worker, 'stale', ref);
}

/** The worker is to stop what it still does for this row (L27). */
export function revoke(state: State, item: Item, live: ActiveClaim): void {
  tellOf(state, live.row.worker, 'revoked', refOf(item.index, live.row));
}

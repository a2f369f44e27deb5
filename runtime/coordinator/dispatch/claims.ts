import { assert, mustGet } from '../../base/assert.ts';
import type { Claimed, Granted } from '../../ledger/contract.ts';
import type { ItemIndex, ItemRef, WorkerId } from '../../model/row.ts';
import { COORDINATOR_WORKER } from '../../model/row.ts';
import { takeFound } from '../items/found.ts';
import type { Grant, GrantPick } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import type { ClaimResult } from '../state/facts.ts';
import { type Item, refOf } from '../state/item.ts';
import { addClaimed, itemAt } from '../state/items.ts';
import { keepReady, releaseClaim } from '../state/queues.ts';
import { handBackAll } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { isGoing, type Worker } from '../state/worker.ts';
import { sendItems } from '../state/workers.ts';
import { planIsolation } from './isolation.ts';
import { Picking } from './picking.ts';
import { type Share, shareOut } from './shares.ts';

/** Items of one round of claims: bounds the size of one ledger transaction. */
const MAX_ROUND = 2_048;
/** Invalid items that the coordinator records at a time: bounds memory for an input of nothing but bad lines. */
const MAX_REJECTED = 512;
/** The machine asks for more of the input when it knows less than this ahead of the cursor. */
const SURVEY_AHEAD = 4_096;

/** Plans the next round of claims, if none is under way and there is somebody to work. */
export function planClaims(state: State): void {
  survey(state);
  if (state.claims !== null || state.phase.kind !== 'running') return;
  const grants = newGrants(state);
  if (grants.length === 0) return;
  state.claims = grants;
  command(state, { kind: 'claim', grants });
}

function survey(state: State): void {
  const { supply } = state;
  if (supply.isSurveying || state.phase.kind !== 'running') return;
  if (supply.items !== null && supply.upTo >= supply.items) return;
  if (supply.upTo - state.cursor >= SURVEY_AHEAD) return;
  supply.isSurveying = true;
  command(state, { kind: 'survey', from: supply.upTo });
}

function newGrants(state: State): readonly Grant[] {
  const shares = planShares(state);
  const picks = new Map<Worker, GrantPick[]>(shares.map(({ worker }) => [worker, []]));
  if (shares.length > 0) {
    const round = new Picking(state);
    for (const share of shares) share.free -= round.pick(share, mustGet(picks.get(share.worker), 'picks'));
    keepReady(state, round.left(), round.alone());
  }
  const grants: Grant[] = [];
  for (const [worker, ready] of picks) if (ready.length > 0) grants.push({ worker: worker.id, picks: ready });
  const isolated = planIsolation(state, new Map(grants.map((grant) => [grant.worker, grantSize(grant)])));
  const fresh = freshGrants(
    state,
    shares.filter(({ worker }) => !isHost(state, worker)),
  );
  return [...grants, ...isolated, ...fresh];
}

/** It is kept free for an item that runs alone. */
function isHost({ poison }: State, worker: Worker): boolean {
  return poison.host?.worker === worker.id;
}

function planShares(state: State): Share[] {
  const available = Math.min(state.ready.length + state.supply.upTo - state.cursor, MAX_ROUND);
  return available === 0 ? [] : shareOut(available, findWithCapacity(state));
}

function findWithCapacity(state: State): readonly Readonly<Share>[] {
  const found: Share[] = [];
  for (const id of state.withCapacity) {
    const worker = state.workers.get(id);
    const free = worker === undefined ? 0 : freeSlots(state, worker);
    if (worker !== undefined && free > 0) found.push({ worker, free });
    else state.withCapacity.delete(id);
  }
  // A worker that is not ready takes items only to probe its endpoint: it gets what the ready ones leave.
  return found.toSorted((a, b) => Number(b.worker.state === 'ready') - Number(a.worker.state === 'ready'));
}

/**
 * How many items more this worker may be given, while no round of claims is under way; none while it is kept free for one that runs alone, or is about to go.
 */
export function freeSlots(state: State, worker: Worker): number {
  if (!worker.isRegistered || worker.session === 0 || isGoing(worker) || isHost(state, worker)) return 0;
  const promised = worker.outgoing.size + worker.unread.size + (worker.sent?.assignments.length ?? 0);
  return Math.max(0, worker.capacity - promised);
}

/** Ranges from the cursor, cut where an invalid item stands: those go to the coordinator itself. */
function freshGrants(state: State, shares: readonly Share[]): readonly Grant[] {
  const grants: Grant[] = [];
  const { supply } = state;
  let at = state.cursor;
  let budget = MAX_ROUND;
  let invalidAt = 0;
  while (at < supply.upTo && budget > 0) {
    const nextInvalid = supply.invalid[invalidAt] ?? supply.upTo;
    if (nextInvalid === at) {
      const count = invalidRun(supply.invalid, invalidAt, Math.min(budget, MAX_REJECTED - state.rejected));
      if (count === 0) break;
      grants.push({ worker: COORDINATOR_WORKER, picks: [{ cursor: at, count }] });
      state.rejected += count;
      invalidAt += count;
      at += count;
      budget -= count;
      continue;
    }
    const share = shares.find(({ free }) => free > 0);
    if (share === undefined) break;
    const count = Math.min(share.free, nextInvalid - at, budget);
    grants.push({ worker: share.worker.id, picks: [{ cursor: at, count }] });
    share.free -= count;
    at += count;
    budget -= count;
  }
  return grants;
}

function invalidRun(invalid: readonly ItemIndex[], from: number, most: number): number {
  let count = 0;
  while (count < most && invalid[from + count] !== undefined && invalid[from + count] === mustGet(invalid[from], 'invalid') + count)
    count += 1;
  return count;
}

function grantSize(grant: Grant): number {
  return grant.picks.reduce((sum, pick) => sum + ('count' in pick ? pick.count : 1), 0);
}

/** The answers of a round, in the order of its grants. */
export function onClaimed(state: State, results: readonly ClaimResult[]): void {
  const grants = mustGet(state.claims, 'a round under way');
  assert(grants.length === results.length, 'one answer for each grant');
  state.claims = null;
  grants.forEach((grant, at) => {
    const result = mustGet(results[at], 'claim result');
    state.dirty.add(grant.worker);
    if (result.kind === 'claimed') applyClaim(state, grant, result);
    if (result.kind === 'gone') releasePicks(state, grant);
  });
  const passed = state.supply.invalid.findIndex((index) => index >= state.cursor);
  state.supply.invalid = passed === -1 ? [] : state.supply.invalid.slice(passed);
  state.supply.upTo = Math.max(state.supply.upTo, state.cursor);
}

function applyClaim(state: State, grant: Grant, reply: Claimed): void {
  state.cursor = Math.max(state.cursor, knownUpTo(grant, reply));
  for (const found of reply.found) takeFound(state, found);
  const mine = reply.found.map((found) => found.index).filter((index) => isOf(state, index, grant.worker));
  const indexes: ItemIndex[] = [];
  for (const range of reply.granted) startRows(state, grant, range, indexes);
  for (const index of mine) indexes.push(index);
  state.granted.push({ worker: grant.worker, indexes });
  unreserve(state, grant, indexes.length);
  state.redone += redoneOf(grant, indexes);
}

/** As the ledger counts them. */
function redoneOf({ picks }: Grant, taken: readonly ItemIndex[]): number {
  const redone = new Set(picks.flatMap((pick) => ('isRedone' in pick ? [pick.index] : [])));
  return redone.size === 0 ? 0 : taken.filter((index) => redone.has(index)).length;
}

/**
 * L8: a claim says what stands in the ranges that it asked for, and nothing of others. A ledger whose cursor is beyond them has carried
 * out an earlier claim late: what that one has left is found by the next claim from here.
 */
function knownUpTo({ picks }: Grant, { cursor }: Claimed): ItemIndex {
  const ends = picks.map((pick) => ('cursor' in pick ? pick.cursor + pick.count : 0));
  return Math.min(cursor, Math.max(...ends));
}

function startRows(state: State, { worker }: Grant, { from, count, attempt }: Granted, into: ItemIndex[]): void {
  addClaimed(state, from, count, { worker, attempt, claimEpoch: state.epoch });
  for (let index = from; index < from + count; index += 1) into.push(index);
}

/** A row that an earlier claim of unknown fate has left for this worker (L8). */
function isOf(state: State, index: ItemIndex, worker: string): boolean {
  return state.items.rowOf(index, worker) !== undefined;
}

/** The rows of a round, once it is judged what waited for their items. */
export function deliverGranted(state: State): void {
  for (const { worker, indexes } of state.granted.splice(0)) deliver(state, worker, indexes);
}

/** Claimed rows go to their worker; where it is gone meanwhile, or about to go, they are handed back at once (L31). */
function deliver(state: State, id: string, indexes: readonly ItemIndex[]): void {
  const open = indexes.filter((index) => !state.items.isLocked(index));
  if (open.length === 0) return;
  if (id === COORDINATOR_WORKER)
    return command(state, { kind: 'reject', refs: open.map((index) => claimedBy(state, id, index)), why: 'invalid' });
  const worker = state.workers.get(id);
  if (worker === undefined || !worker.isRegistered || isGoing(worker)) return handBackAll(state, id, itemsAt(state, open), 'lost');
  sendItems(state, id, open);
}

function itemsAt(state: State, indexes: readonly ItemIndex[]): readonly Item[] {
  return indexes.map((index) => itemAt(state, index));
}

function claimedBy(state: State, worker: WorkerId, index: ItemIndex): ItemRef {
  return refOf(index, mustGet(state.items.rowOf(index, worker), 'the claimed row'));
}

/** Fresh items that were counted as the coordinator's but not granted to it are not in its hands. */
function unreserve(state: State, grant: Grant, taken: number): void {
  if (grant.worker === COORDINATOR_WORKER) state.rejected -= grantSize(grant) - taken;
}

function releasePicks(state: State, grant: Grant): void {
  if (grant.worker === COORDINATOR_WORKER) state.rejected -= grantSize(grant);
  for (const pick of grant.picks) {
    const item = 'index' in pick ? state.items.get(pick.index) : undefined;
    if (item === undefined || item.lock !== 'claiming') continue;
    releaseClaim(state, item);
  }
}

export function onIndexed({ supply }: State, count: number, items: number | null): void {
  supply.indexed = count;
  supply.items = items;
}

/** The next part of the input is known. */
export function onSurveyed(state: State, upTo: ItemIndex, invalid: readonly ItemIndex[]): void {
  state.supply.isSurveying = false;
  state.supply.upTo = Math.max(state.supply.upTo, upTo);
  state.supply.invalid.push(...invalid.filter((index) => index >= state.cursor));
}

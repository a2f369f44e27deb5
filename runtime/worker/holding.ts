import { assert } from '../base/assert.ts';
import { oneLine } from '../model/detail.ts';
import type { ItemRef } from '../model/row.ts';
import { plainRef } from '../model/row.ts';
import type { Assignment, ReturnReason } from '../model/session.ts';
import { type Endpoint, isClosed, mayStart, onStarted, wantsProbe } from './endpoint/endpoint.ts';
import { isOutOfTouch } from './session/epoch-guard.ts';
import { addLine, MAX_WAITING_BYTES, passSlotTime } from './session/window.ts';
import type { Held } from './stage.ts';
import { add, allHeld, command, drop, find, moveTo, type State } from './state.ts';

/** What happens to one held item: assigned, started, ended, stored, handed back, revoked, forgotten. */

/** L35: what is held already is ignored; a higher attempt of an index stops an unfinished lower one. */
export function take(state: State, assignment: Assignment): void {
  if (!makeWay(state, assignment)) return;
  const ref = plainRef(assignment);
  addLine(state.credit, assignment.line.length);
  const reason = refusal(state);
  if (reason === null) add(state, ref, { kind: 'queued', assignment });
  else add(state, ref, { kind: 'returning', item: { ...ref, reason, delayMs: 0, detail: '' } });
}

/** Whether no attempt is held that is as high. Hardly any item has been here before. */
function makeWay(state: State, { index, attempt }: ItemRef): boolean {
  if (!state.held.hasItem(index)) return true;
  const others = state.held.ofItem(index);
  if (others.some((held) => held.ref.attempt >= attempt)) return false;
  for (const lower of others) if (isUnfinished(lower)) abandon(state, lower);
  return true;
}

/** L27: the row is gone. An outcome that is already there is sent all the same; the ledger judges it. */
export function revoke(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  if (held !== undefined && isUnfinished(held)) abandon(state, held);
}

/** L32: wanted for another worker. What has not started goes back and never will start; of the rest nothing is said. */
export function recall(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  if (held?.stage.kind === 'queued') giveBack(state, held, { reason: 'recalled' });
}

/** Starts what may start, in the order of arrival. */
export function startQueued(state: State, nowMs: number): void {
  if (state.mode.kind !== 'working' || state.isFenced) return;
  // W2: of a process that was stopped, the end of an execution may be heard before the tick that fences it.
  if (isOutOfTouch(state.guard, nowMs, state.settings.selfFenceTimeoutMs)) return;
  for (let held = state.queue.first; held !== null; held = state.queue.first) {
    const endpoint = nextEndpoint(state, nowMs, held.ref);
    if (endpoint === null) return;
    start(state, nowMs, held, endpoint);
  }
}

function start(state: State, nowMs: number, held: Held, endpoint: Endpoint): void {
  assert(held.stage.kind === 'queued', 'only a queued item starts');
  const { assignment } = held.stage;
  moveTo(state, held, { kind: 'started', startedAtMs: nowMs });
  passSlotTime(state.credit.pace, nowMs, state.executing.size);
  const execution = { ref: held.ref, sibling: null, endpoint, startedAtMs: nowMs, inFlight: endpoint.executing + 1 };
  onStarted(endpoint, nowMs, execution);
  state.executing.add(execution);
  command(state, { kind: 'start', assignment, endpoint: endpoint.number });
}

/**
 * One that waits for a probe goes first; of the others the one with least in flight, and among equals the one that waited longest. An item
 * that was tried before does not probe while an endpoint that works has room: else the last items would go from probe to probe.
 */
function nextEndpoint(state: State, nowMs: number, { attempt }: ItemRef): Endpoint | null {
  if (state.executing.size >= state.settings.concurrency) return null;
  const probed = state.endpoints.find(wantsProbe);
  if (probed !== undefined && attempt === 1) return probed;
  let best: Endpoint | null = null;
  for (const endpoint of state.endpoints) if (mayStart(endpoint, nowMs) && (best === null || isLess(endpoint, best))) best = endpoint;
  return best ?? probed ?? null;
}

function isLess(a: Endpoint, b: Endpoint): boolean {
  return a.executing < b.executing || (a.executing === b.executing && a.startedAtMs < b.startedAtMs);
}

/** L34: only now may the outcome be sent. */
export function stored(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  assert(held !== undefined && held.stage.kind === 'storing', 'what became durable was being stored');
  moveTo(state, held, { kind: 'finished', outcome: held.stage.outcome });
}

/** Hands back everything that has not started. */
export function returnQueued(state: State, reason: ReturnReason): void {
  for (const held of [...state.queue]) giveBack(state, held, { reason });
}

/** Hands back what has failed and is not known to count. */
export function returnFailures(state: State, reason: ReturnReason): void {
  for (const held of [...state.failures]) giveBack(state, held, { reason });
}

/** Hands back what is still being executed, or some of it; its end is then ignored (L36). */
export function returnStarted(state: State, reason: ReturnReason, isChosen: (held: Held) => boolean = () => true): void {
  for (const held of allHeld(state)) {
    if (held.stage.kind !== 'started' || !isChosen(held)) continue;
    command(state, { kind: 'stop', ref: held.ref });
    giveBack(state, held, { reason });
  }
}

/** The item goes back uncounted, not to be claimed again for `delayMs`. A detail may be put together of several: a message takes one line. */
export function giveBack(
  state: State,
  held: Held,
  { reason, delayMs = 0, detail = '' }: { readonly reason: ReturnReason; readonly delayMs?: number; readonly detail?: string },
): void {
  moveTo(state, held, { kind: 'returning', item: { ...held.ref, reason, delayMs, detail: oneLine(detail) } });
}

/** L34: forgets exactly the pairs that a reply names, where they had been handed over. */
export function forget(state: State, refs: readonly ItemRef[]): void {
  const durable: ItemRef[] = [];
  for (const ref of refs) {
    const held = find(state, ref);
    if (held === undefined || isUnfinished(held)) continue;
    if (held.stage.kind === 'finished') durable.push(held.ref);
    if (held.stage.kind !== 'storing') drop(state, held);
  }
  if (durable.length > 0) command(state, { kind: 'forget', refs: durable });
}

function isUnfinished({ stage }: Held): boolean {
  return stage.kind === 'queued' || stage.kind === 'started' || stage.kind === 'failed';
}

/** Drops an item that the worker may no longer execute; nothing is said about it. */
function abandon(state: State, held: Held): void {
  if (held.stage.kind === 'started') command(state, { kind: 'stop', ref: held.ref });
  drop(state, held);
}

function refusal(state: State): ReturnReason | null {
  if (state.mode.kind !== 'working') return 'drained';
  // W6: it had asked for more, before the lines became larger.
  if (state.waitingBytes >= MAX_WAITING_BYTES) return 'recalled';
  return state.endpoints.some((endpoint) => isClosed(endpoint) || wantsProbe(endpoint)) ? null : 'unavailable';
}

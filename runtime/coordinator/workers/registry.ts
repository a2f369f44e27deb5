import type { FailureReason } from '../../model/event.ts';
import type { WorkerId } from '../../model/row.ts';
import type { Beat, BeatReply, Deregistration } from '../../model/session.ts';
import { beatIntervalMs } from '../../model/timing.ts';
import { loseRows } from '../items/poison.ts';
import { extendHeadway, noteLoss } from '../progress/stall.ts';
import { tellWorkerWaits } from '../progress/waits.ts';
import type { Token } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import { rowOfWorker } from '../state/item.ts';
import { itemAt, noteBoot } from '../state/items.ts';
import { handBackAll } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import type { OwnWorker, Worker } from '../state/worker.ts';
import { newWorker, ownWorkers } from '../state/workers.ts';
import { closeChannel } from './delivery.ts';
import { endDrain, isLeaving, noteGoodbye, reviewWorker } from './drain.ts';
import { beatDueAtMs, liveness, pauseMs } from './failure.ts';

/** Boots that are remembered so that none comes back behind a newer one; the oldest is forgotten, its process is long gone. */
export const MAX_BOOTS = 20_000;

/** The first beat of an unknown worker, or of a new boot, registers it; every other says that it lives. */
export function onBeat(state: State, nowMs: number, beat: Beat, token: Token | null): void {
  if (state.replacedBoots.has(bootKey(beat.workerId, beat.bootNonce))) {
    return replyBeat(state, token, { epoch: state.epoch, isSuperseded: true });
  }
  const known = ownWorkers(state).get(beat.workerId);
  if (beat.highestEpoch > state.epoch) {
    checkEpoch(state, beat.workerId, beat.highestEpoch);
    if (known?.bootNonce === beat.bootNonce) hear(state, nowMs, known);
    // The worker ignores an older epoch, and logs that it met one (L41).
    return replyBeat(state, token, { epoch: state.epoch, isSuperseded: false });
  }
  if (known !== undefined && isReplaced(known, beat)) {
    noteReplaced(state, beat.workerId, beat.bootNonce);
    return replyBeat(state, token, { epoch: state.epoch, isSuperseded: true });
  }
  const worker = known?.bootNonce === beat.bootNonce ? known : registerBoot(state, nowMs, beat, known);
  hear(state, nowMs, worker);
  if (worker !== known || worker.node !== beat.node) {
    worker.node = beat.node;
    state.dirty.add(worker.id);
    reviewWorker(state, worker);
  }
  // One that drains no more has room again.
  if (worker.state !== beat.state) state.dirty.add(worker.id);
  worker.state = beat.state;
  const isNews = worker.detail !== beat.detail;
  worker.detail = beat.detail;
  // Why it drains is told by the steps of its drain.
  if (isNews && beat.state !== 'draining') tellWorkerWaits(state, worker);
  worker.concurrency = beat.concurrency;
  worker.pid = beat.pid;
  command(state, { kind: 'emit', event: { kind: 'worker_heartbeat', workerId: worker.id, loopLagMs: beat.loopLagMs } });
  if (token === null) return;
  if (!worker.isRegistered) return void worker.beats.push(token);
  answerBeat(state, worker, token);
}

function replyBeat(state: State, token: Token | null, reply: BeatReply): void {
  if (token !== null) command(state, { kind: 'reply-beat', token, reply });
}

/**
 * A boot begins with `init`, and says more only once it is registered. So one that has begun before, and is not the one that the
 * registry names, was replaced: under an earlier coordinator, whose memory of it is gone (L26). Else each of the two would replace the
 * other, and both would end.
 */
function isReplaced({ bootNonce }: OwnWorker, beat: Beat): boolean {
  const hasBegun = beat.state === 'ready' || beat.state === 'not-ready';
  return hasBegun && bootNonce !== '' && bootNonce !== beat.bootNonce;
}

function hear(state: State, nowMs: number, worker: OwnWorker): void {
  worker.lastBeatMs = nowMs;
  worker.dueAtMs = beatDueAtMs(nowMs, state.settings);
  worker.isSuspected = false;
}

function registerBoot(state: State, nowMs: number, beat: Beat, known: OwnWorker | undefined): OwnWorker {
  const worker = newWorker(beat.workerId, beat.bootNonce, 0, nowMs);
  const gone = state.goneBoots.get(beat.workerId);
  if (gone !== undefined && gone !== beat.bootNonce) noteReplaced(state, beat.workerId, gone);
  state.goneBoots.delete(beat.workerId);
  if (known !== undefined) {
    if (known.bootNonce !== '') noteReplaced(state, known.id, known.bootNonce);
    for (const index of known.items) worker.items.add(index);
    passOnUnsent(state, known, beat.bootNonce);
    disconnect(state, known, 'superseded');
  }
  ownWorkers(state).set(worker.id, worker);
  const { bootNonce, pid, concurrency } = beat;
  // A coordinator that dies before the rows of the earlier boot are taken back leaves them to its successor (L27).
  const isSecond = known !== undefined || (gone !== undefined && gone !== bootNonce);
  const info = { bootNonce, pid, concurrency, ...(isSecond ? { hasOlderRows: true as const } : {}) };
  command(state, { kind: 'register', worker: worker.id, info });
  const isRestart = known !== undefined && known.bootNonce !== '';
  command(state, { kind: 'emit', event: { kind: 'worker_registered', workerId: worker.id, bootNonce, isRestart } });
  if (known !== undefined) endDrain(state, known, 'lost');
  return worker;
}

/** What the earlier boot was never sent has not crashed with it (L27). */
function passOnUnsent(state: State, { id, unread, outgoing }: OwnWorker, bootNonce: string): void {
  for (const index of [...unread, ...outgoing.keys()]) {
    const live = rowOfWorker(itemAt(state, index), id);
    if (live !== undefined && live.bootNonce !== '') noteBoot(live, bootNonce);
  }
}

function noteReplaced({ replacedBoots }: State, worker: WorkerId, bootNonce: string): void {
  replacedBoots.add(bootKey(worker, bootNonce));
  forgetOldest(replacedBoots);
}

function forgetOldest(boots: Set<string> | Map<string, string>): void {
  const [oldest] = boots.keys();
  if (oldest !== undefined && boots.size > MAX_BOOTS) boots.delete(oldest);
}

/** The registry row is durable: now the worker hears it, and may be given items. */
export function onRegistered(state: State, id: WorkerId, bootNonce: string): void {
  const worker = ownWorkers(state).get(id);
  if (worker === undefined || worker.bootNonce !== bootNonce) return;
  worker.isRegistered = true;
  state.dirty.add(id);
  for (const token of worker.beats.splice(0)) answerBeat(state, worker, token);
}

/** How often the worker beats, as far as is known. */
export function toldIntervalMs({ settings }: State, worker: Worker): number {
  return worker.toldIntervalMs ?? settings.heartbeatIntervalMs;
}

/** Every answer carries the timing: the worker may come from a coordinator that had another one. */
function answerBeat(state: State, worker: OwnWorker, token: Token): void {
  const { workerSelfFenceTimeoutMs, pollWaitMs } = state.settings;
  const heartbeatIntervalMs = beatIntervalMs(state.settings, ownWorkers(state).size);
  worker.toldIntervalMs = heartbeatIntervalMs;
  const timing = { heartbeatIntervalMs, workerSelfFenceTimeoutMs, pollWaitMs };
  command(state, { kind: 'reply-beat', token, reply: { epoch: state.epoch, isSuperseded: false, timing } });
}

/** The worker's last word: whatever rows it still has go back (L31). */
export function onDeregister(state: State, { workerId, bootNonce, isClean }: Deregistration, token: Token): void {
  const worker = ownWorkers(state).get(workerId);
  if (worker === undefined || worker.bootNonce !== bootNonce) {
    return command(state, { kind: 'reply-deregister', token, epoch: state.epoch });
  }
  if (isClean) noteGoodbye(state, worker);
  const handedBack = takeRows(state, worker, null);
  state.leaving += 1;
  command(state, { kind: 'emit', event: { kind: 'worker_deregistered', workerId, handedBack } });
  endDrain(state, worker, 'left');
  command(state, { kind: 'forget', worker: workerId, token });
}

/** The ledger has forgotten the worker: its goodbye, if it said one, is answered. */
export function onForgotten(state: State, token: Token | null): void {
  if (token === null) return;
  state.leaving -= 1;
  command(state, { kind: 'reply-deregister', token, epoch: state.epoch });
}

/** A death that is known fails the worker at once, if the process that died is the one that registered. */
export function onWorkerExited(state: State, workerId: WorkerId, pid: number): void {
  const worker = ownWorkers(state).get(workerId);
  if (worker !== undefined && worker.pid === pid) failWorker(state, worker, 'exited');
}

/** The scan of all workers; the coordinator's own pause extends every deadline first. */
export function scanWorkers(state: State, nowMs: number): void {
  const pausedMs = pauseMs(nowMs - state.lastTickMs, state.settings);
  state.lastTickMs = nowMs;
  if (pausedMs > 0) command(state, { kind: 'check-lease', seen: null });
  extendHeadway(state, pausedMs);
  for (const worker of [...ownWorkers(state).values()]) {
    worker.dueAtMs += pausedMs;
    scanWorker(state, nowMs, worker);
  }
}

function scanWorker(state: State, nowMs: number, worker: OwnWorker): void {
  const now = liveness(nowMs, worker.dueAtMs, state.settings, toldIntervalMs(state, worker));
  if (now === 'failed') return failWorker(state, worker, 'timeout');
  if (now !== 'suspected' || worker.isSuspected) return;
  worker.isSuspected = true;
  command(state, { kind: 'emit', event: { kind: 'worker_suspected', workerId: worker.id, dueAtMs: Math.round(worker.dueAtMs) } });
}

export function failWorker(state: State, worker: OwnWorker, reason: FailureReason): void {
  const { id } = worker;
  const dueAtMs = Math.round(worker.dueAtMs);
  const handedBack = takeRows(state, worker, reason);
  noteLoss(state, handedBack);
  command(state, { kind: 'emit', event: { kind: 'worker_failed', workerId: id, reason, dueAtMs, handedBack } });
  endDrain(state, worker, 'lost');
  command(state, { kind: 'forget', worker: id, token: null });
}

/**
 * Takes every row that nothing else is being done with, and lets the worker go, which said goodbye where there is no reason.
 * Returns how many.
 */
function takeRows(state: State, worker: OwnWorker, reason: FailureReason | null): number {
  const rows = [...worker.items].map((index) => itemAt(state, index)).filter((item) => item.lock === null);
  if (reason === null) handBackAll(state, worker.id, rows, 'lost');
  else loseRows(state, worker, rows, reason === 'exited' && !isLeaving(state, worker.id));
  disconnect(state, worker, 'hello-needed');
  ownWorkers(state).delete(worker.id);
  state.goneBoots.set(worker.id, worker.bootNonce);
  forgetOldest(state.goneBoots);
  return rows.length;
}

function disconnect(state: State, worker: OwnWorker, status: 'superseded' | 'hello-needed'): void {
  const { epoch } = state;
  closeChannel(state, worker, { status, epoch });
  for (const token of worker.beats) command(state, { kind: 'reply-beat', token, reply: { epoch, isSuperseded: status === 'superseded' } });
}

/**
 * A worker that has seen a higher epoch proves that this coordinator is deposed or that its store is behind: the lease is checked first
 * (L30, L41).
 */
export function checkEpoch(state: State, worker: WorkerId, highestEpoch: number): void {
  if (highestEpoch > state.epoch) command(state, { kind: 'check-lease', seen: { worker, epoch: highestEpoch } });
}

export function bootKey(worker: WorkerId, bootNonce: string): string {
  return `${worker} ${bootNonce}`;
}

import type { ComputeHint } from '../../runtime/model/hint.ts';
import type { ItemRef } from '../../runtime/model/row.ts';
import type { Assignment, Outcome, Poll, PollReply } from '../../runtime/model/session.ts';
import { checkState } from '../../runtime/worker/check-state.ts';
import type { Command, Ending } from '../../runtime/worker/commands.ts';
import type { EndpointFailure } from '../../runtime/worker/endpoint/outage.ts';
import { onBeat, onConnected, onReadiness, onStart } from '../../runtime/worker/machine.ts';
import { type MachineSettings, newState, type State } from '../../runtime/worker/state.ts';
import { batchLine } from './batch-lines.ts';

/** Builders for tests of the worker's machine. */

export const SETTINGS: MachineSettings = {
  workerId: 'w1',
  bootNonce: 'boot',
  concurrency: 2,
  prefetch: 2,
  endpoints: ['http://one:1'],
  requestTimeoutMs: 600_000,
  waitBackendMs: 900_000,
  transport: 'poll',
  heartbeatIntervalMs: 500,
  pollWaitMs: 20_000,
  selfFenceTimeoutMs: 4_000,
  drainTimeoutMs: 20_000,
  waitCoordinatorMs: 900_000,
};

export function ref(index: number, attempt = 1, claimEpoch = 0): ItemRef {
  return { index, attempt, claimEpoch };
}

export function assignment(index: number, attempt = 1, claimEpoch = 0): Assignment {
  return { ...ref(index, attempt, claimEpoch), line: Buffer.from(batchLine(`item-${index}`)), lineNumber: index + 1, form: 'batch' };
}

export function outcome(index: number, attempt = 1, more: Partial<Outcome> = {}): Outcome {
  return {
    ...ref(index, attempt),
    kind: 'result',
    line: Buffer.from(`line ${index}`),
    httpStatus: 200,
    code: '',
    isRetryable: false,
    isProbe: false,
    delayMs: 0,
    ...more,
  };
}

export function ended(index: number, attempt = 1): Ending {
  return { kind: 'outcome', outcome: outcome(index, attempt) };
}

/** The endpoint refuses it for now. */
export function throttled(index: number, delayMs = 0, quietMs = 0, attempt = 1): Ending {
  const error = outcome(index, attempt, { kind: 'error', httpStatus: 429, code: 'http_429', isRetryable: true, delayMs });
  return { kind: 'throttled', outcome: error, quietMs, detail: 'http_429' };
}

/** Nobody is there. */
export function unreachable(index: number, attempt = 1): Ending {
  return { kind: 'unavailable', ref: ref(index, attempt), detail: 'ECONNREFUSED' };
}

/** It failed, and that may be the endpoint's fault. */
export function failure(index: number, attempt = 1, more: Partial<EndpointFailure> = {}): Ending {
  const error = outcome(index, attempt, { kind: 'error', httpStatus: 502, code: 'http_502', isRetryable: true, delayMs: 500 });
  return {
    kind: 'failure',
    outcome: error,
    failure: { isRefusal: false, isCertain: false, isTimeout: false, detail: 'http_502', ...more },
  };
}

/** One request that every endpoint would refuse. */
export function refused(index: number, attempt = 1): Ending {
  const error = outcome(index, attempt, { kind: 'error', httpStatus: 401, code: 'http_401' });
  return { kind: 'failure', outcome: error, failure: { isRefusal: true, isCertain: false, isTimeout: false, detail: 'http_401' } };
}

/** Its endpoints are ready. */
export function readied(state: State): State {
  for (const endpoint of state.endpoints) endpoint.breaker = { kind: 'closed' };
  return state;
}

/** None of its endpoints is. */
export function away(state: State): State {
  const outage = { sinceMs: 0, tries: 1, detail: 'ECONNREFUSED', isRefusing: false };
  for (const endpoint of state.endpoints) endpoint.breaker = { kind: 'open', outage };
  return state;
}

export type OkReply = Extract<PollReply, { status: 'ok' }>;

export function ok(more: Partial<Omit<OkReply, 'status'>> = {}): OkReply {
  return {
    status: 'ok',
    epoch: 0,
    order: 'work',
    drainMs: 0,
    reason: '',
    batch: 0,
    assignments: [],
    revoked: [],
    recalled: [],
    acknowledged: [],
    stale: [],
    ...more,
  };
}

export function beatReply(epoch = 0, receivedMs = 0): { epoch: number; isSuperseded: boolean; receivedMs: number } {
  return { epoch, isSuperseded: false, receivedMs };
}

/** A worker whose backend is ready and who has a coordinator; its hello is on the way as poll 1 of session 1. */
export function greeting(settings: Partial<MachineSettings> = {}, found: readonly Outcome[] = []): { state: State; commands: Command[] } {
  const state = newState({ ...SETTINGS, ...settings }, 0, found, 0);
  const commands = [...onStart(state, 0), ...onReadiness(state, 0, 0, null), ...onBeat(state, 0, beatReply()), ...onConnected(state, 0)];
  checkState(state);
  return { state, commands };
}

export function polls(commands: readonly Command[]): Poll[] {
  return commands.flatMap((command) => (command.kind === 'poll' ? [command.poll] : []));
}

export function kinds(commands: readonly Command[]): string[] {
  return commands.map((command) => command.kind);
}

/** Mostly none. */
export function someOrder(pick: number): OkReply['order'] {
  return (['hold', 'drain'] as const)[pick % 12] ?? 'work';
}

export function someHint(pick: number): ComputeHint | null {
  const severity = (['hint', 'drain'] as const)[pick % 4];
  return severity === undefined ? null : { node: null, worker: null, severity, untilMs: null, reason: 'spot' };
}

/** How an execution ends: well, not now, or in a way that may be the endpoint's fault. */
export function someEnding(step: 'end' | 'back' | 'fail-item', pick: number, index: number, attempt: number): Ending {
  if (step === 'end') return ended(index, attempt);
  if (step === 'back') return pick % 2 === 0 ? throttled(index, 10, 0, attempt) : unreachable(index, attempt);
  return pick % 3 === 0 ? refused(index, attempt) : failure(index, attempt, { isTimeout: pick % 5 === 0 });
}

/** What may happen to a worker's machine (worker-world.ts). */
export const STEPS = [
  'assign',
  'end',
  'back',
  'fail-item',
  'store',
  'reply',
  'stale-reply',
  'hello-needed',
  'fail',
  'written',
  'connect',
  'beat',
  'new-epoch',
  'tick',
  'late',
  'drain',
  'ready',
  'not-ready',
] as const;

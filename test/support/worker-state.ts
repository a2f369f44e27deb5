import type { ComputeHint } from '../../runtime/model/hint.ts';
import type { ItemRef } from '../../runtime/model/row.ts';
import type { Assignment, ItemReturn, Outcome, Poll, PollReply } from '../../runtime/model/session.ts';
import type { Command, Ending } from '../../runtime/worker/commands.ts';
import { onBackendReady, onBeat, onConnected, onStart } from '../../runtime/worker/machine.ts';
import { checkState, type MachineSettings, newState, type State } from '../../runtime/worker/state.ts';
import { batchLine } from './batch-lines.ts';

/** Builders for tests of the worker's machine. */

export const SETTINGS: MachineSettings = {
  workerId: 'w1',
  bootNonce: 'boot',
  concurrency: 2,
  prefetch: 2,
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
    delayMs: 0,
    ...more,
  };
}

export function ended(index: number, attempt = 1): Ending {
  return { kind: 'outcome', outcome: outcome(index, attempt) };
}

export function goesBack(index: number, reason: ItemReturn['reason'], delayMs = 0, quietMs = 0): Ending {
  return { kind: 'return', item: { ...ref(index), reason, delayMs }, quietMs };
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
  const commands = [...onStart(state, 0), ...onBackendReady(state, 0), ...onBeat(state, 0, beatReply()), ...onConnected(state, 0)];
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

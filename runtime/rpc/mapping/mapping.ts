import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { MAX_U32 } from '../../base/u32.ts';
import { type ItemRef, plainRef } from '../../model/row.ts';
import type {
  Assignment,
  Beat,
  BeatReply,
  Deregistration,
  DrainStep,
  HeldItem,
  ItemReturn,
  Outcome,
  Poll,
  PollReply,
} from '../../model/session.ts';
import { MAX_POLL_WAIT_MS } from '../../model/timing.ts';
import {
  type BeatRequest,
  BeatRequestSchema,
  type BeatResponse,
  BeatResponseSchema,
  type DeregisterRequest,
  DeregisterRequestSchema,
  type DeregisterResponse,
  DeregisterResponseSchema,
  type DrainStepSchema,
  type PollRequest,
  PollRequestSchema,
  type PollResponse,
  PollResponseSchema,
  type DrainStep as WireDrainStep,
} from '../gen/rollout/v1/worker_pb.ts';
import { DRAIN_STEPS, HELD_STATES, ITEM_FORMS, ORDERS, OUTCOME_KINDS, POLL_STATUSES, RETURN_REASONS, WORKER_STATES } from './enums.ts';
import { type Checked, FieldCheck, MAX_LIST } from './field-check.ts';

/** The messages of WorkerService: what comes from the wire is checked, field by field, before anybody else sees it. */

/** Three digits, as HTTP has them (RFC 9110, 15). */
const MAX_HTTP_STATUS = 999;

export function beatToWire(beat: Beat): BeatRequest {
  return create(BeatRequestSchema, { ...beat, state: WORKER_STATES.toWire[beat.state], loopLagMs: wholeMs(beat.loopLagMs) });
}

export function beatFromWire(wire: BeatRequest): Checked<Beat> {
  const check = new FieldCheck();
  const { concurrency, pid, loopLagMs, highestEpoch } = wire;
  return check.done({
    workerId: check.workerId(wire.workerId),
    bootNonce: check.bootNonce(wire.bootNonce),
    state: check.word('state', wire.state, WORKER_STATES, 'init'),
    concurrency: check.counted('concurrency', concurrency),
    pid,
    loopLagMs,
    highestEpoch,
    detail: check.detail(wire.detail),
    node: check.detail(wire.node, 'node'),
  });
}

export function beatReplyToWire(reply: BeatReply): BeatResponse {
  const { epoch, isSuperseded, timing } = reply;
  const told =
    timing === undefined
      ? {}
      : {
          heartbeatIntervalMs: wholeMs(timing.heartbeatIntervalMs),
          selfFenceTimeoutMs: wholeMs(timing.workerSelfFenceTimeoutMs),
          pollWaitMs: wholeMs(timing.pollWaitMs),
        };
  return create(BeatResponseSchema, { epoch, superseded: isSuperseded, ...told });
}

export function beatReplyFromWire(wire: BeatResponse): Checked<BeatReply> {
  const { epoch, superseded, heartbeatIntervalMs, selfFenceTimeoutMs: workerSelfFenceTimeoutMs, pollWaitMs } = wire;
  const check = new FieldCheck();
  if (heartbeatIntervalMs === 0) return check.done({ epoch, isSuperseded: superseded });
  check.that(workerSelfFenceTimeoutMs > 0, 'self_fence_timeout_ms', 'must not be 0');
  check.atMost('poll_wait_ms', pollWaitMs, MAX_POLL_WAIT_MS);
  return check.done({ epoch, isSuperseded: superseded, timing: { heartbeatIntervalMs, workerSelfFenceTimeoutMs, pollWaitMs } });
}

export function pollToWire(poll: Poll): PollRequest {
  const { hello, outcomes, returns, started, drainSteps, waitMs, ...same } = poll;
  return create(PollRequestSchema, {
    ...same,
    ...(hello === null ? {} : { hello: { held: hello.map((item) => ({ ref: plainRef(item), state: HELD_STATES.toWire[item.state] })) } }),
    outcomes: outcomes.map(outcomeToWire),
    returns: returns.map(returnToWire),
    started: started.map(plainRef),
    drainSteps: drainSteps.map(drainStepToWire),
    waitMs: wholeMs(waitMs),
  });
}

export function pollFromWire(wire: PollRequest): Checked<Poll> {
  const check = new FieldCheck();
  const held = (item: (typeof wire.outcomes)[number] | NonNullable<typeof wire.hello>['held'][number]): ItemRef => check.ref(item.ref);
  const { hello, highestEpoch, acknowledgedBatch, isAwaiting } = wire;
  return check.done({
    workerId: check.workerId(wire.workerId),
    bootNonce: check.bootNonce(wire.bootNonce),
    session: check.counted('session', wire.session),
    poll: check.counted('poll', wire.poll),
    highestEpoch,
    hello:
      hello === undefined
        ? null
        : check.list(
            'held',
            hello.held,
            (item): HeldItem => ({ ...held(item), state: check.word('state', item.state, HELD_STATES, 'queued') }),
          ),
    acknowledgedBatch,
    isAwaiting,
    capacity: check.atMost('capacity', wire.capacity, MAX_LIST),
    outcomes: check.list('outcomes', wire.outcomes, (item) => outcomeFromWire(check, item)),
    returns: check.list('returns', wire.returns, (item) => returnFromWire(check, item)),
    started: check.list('started', wire.started, (ref) => check.ref(ref)),
    drainSteps: check.list('drain_steps', wire.drainSteps, (one) => drainStepFromWire(check, one)),
    waitMs: check.atMost('wait_ms', wire.waitMs, MAX_POLL_WAIT_MS),
  });
}

export function pollReplyToWire(reply: PollReply): PollResponse {
  const status = POLL_STATUSES.toWire[reply.status];
  if (reply.status !== 'ok') return create(PollResponseSchema, { epoch: reply.epoch, status });
  return create(PollResponseSchema, {
    epoch: reply.epoch,
    status,
    order: ORDERS.toWire[reply.order],
    drainMs: wholeMs(reply.drainMs),
    reason: reply.reason,
    batch: reply.batch,
    assignments: reply.assignments.map((item) => ({
      ref: plainRef(item),
      line: item.line,
      lineNumber: item.lineNumber,
      form: ITEM_FORMS.toWire[item.form],
    })),
    revoked: reply.revoked.map(plainRef),
    recalled: reply.recalled.map(plainRef),
    acknowledged: reply.acknowledged.map(plainRef),
    stale: reply.stale.map(plainRef),
  });
}

export function pollReplyFromWire(wire: PollResponse): Checked<PollReply> {
  const check = new FieldCheck();
  const { epoch, batch, drainMs } = wire;
  const status = check.word('status', wire.status, POLL_STATUSES, 'hello-needed');
  if (status !== 'ok') return check.done({ status, epoch });
  const refs = (field: string, items: typeof wire.revoked): readonly ItemRef[] => check.list(field, items, (ref) => check.ref(ref));
  return check.done({
    status,
    epoch,
    order: check.word('order', wire.order, ORDERS, 'work'),
    drainMs,
    reason: check.detail(wire.reason, 'reason'),
    batch,
    assignments: check.list(
      'assignments',
      wire.assignments,
      (item): Assignment => ({
        ...check.ref(item.ref),
        line: check.line(item.line),
        lineNumber: check.counted('line_number', item.lineNumber),
        form: check.word('form', item.form, ITEM_FORMS, 'batch'),
      }),
    ),
    revoked: refs('revoked', wire.revoked),
    recalled: refs('recalled', wire.recalled),
    acknowledged: refs('acknowledged', wire.acknowledged),
    stale: refs('stale', wire.stale),
  });
}

export function deregistrationToWire(deregistration: Deregistration): DeregisterRequest {
  return create(DeregisterRequestSchema, deregistration);
}

export function deregistrationFromWire(wire: DeregisterRequest): Checked<Deregistration> {
  const check = new FieldCheck();
  return check.done({ workerId: check.workerId(wire.workerId), bootNonce: check.bootNonce(wire.bootNonce), isClean: wire.isClean });
}

export function deregisteredToWire(reply: { readonly epoch: number }): DeregisterResponse {
  return create(DeregisterResponseSchema, reply);
}

export function deregisteredFromWire(wire: DeregisterResponse): Checked<{ readonly epoch: number }> {
  return new FieldCheck().done({ epoch: wire.epoch });
}

function outcomeToWire(outcome: Outcome): NonNullable<MessageInitShape<typeof PollRequestSchema>['outcomes']>[number] {
  const { httpStatus, code } = outcome;
  return {
    ref: plainRef(outcome),
    kind: OUTCOME_KINDS.toWire[outcome.kind],
    line: outcome.line,
    httpStatus,
    code,
    retryable: outcome.isRetryable,
    probe: outcome.isProbe,
    delayMs: wholeMs(outcome.delayMs),
  };
}

function returnToWire(item: ItemReturn): NonNullable<MessageInitShape<typeof PollRequestSchema>['returns']>[number] {
  return { ref: plainRef(item), reason: RETURN_REASONS.toWire[item.reason], delayMs: wholeMs(item.delayMs), detail: item.detail };
}

function returnFromWire(check: FieldCheck, wire: PollRequest['returns'][number]): ItemReturn {
  return {
    ...check.ref(wire.ref),
    reason: check.word('reason', wire.reason, RETURN_REASONS, 'drained'),
    delayMs: wire.delayMs,
    detail: check.detail(wire.detail, 'detail'),
  };
}

function outcomeFromWire(check: FieldCheck, wire: PollRequest['outcomes'][number]): Outcome {
  return {
    ...check.ref(wire.ref),
    kind: check.word('kind', wire.kind, OUTCOME_KINDS, 'error'),
    line: check.line(wire.line),
    httpStatus: check.atMost('http_status', wire.httpStatus, MAX_HTTP_STATUS),
    code: check.code(wire.code),
    isRetryable: wire.retryable,
    isProbe: wire.probe,
    delayMs: wire.delayMs,
  };
}

export function drainStepToWire(one: DrainStep): MessageInitShape<typeof DrainStepSchema> {
  return { ...one, step: DRAIN_STEPS.toWire[one.step], remainingMs: wholeMs(one.remainingMs) };
}

export function drainStepFromWire(check: FieldCheck, { step, items, remainingMs, reason }: WireDrainStep): DrainStep {
  return { step: check.word('step', step, DRAIN_STEPS, 'stopped-pulling'), items, remainingMs, reason: check.detail(reason, 'reason') };
}

/** The wire has whole milliseconds in 32 bits; measured times are fractions. */
export function wholeMs(ms: number): number {
  return Math.min(MAX_U32, Math.max(0, Math.round(ms)));
}

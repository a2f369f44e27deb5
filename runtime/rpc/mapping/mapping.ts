import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { plainRef } from '../../model/row.ts';
import type { Beat, BeatReply, Deregistration, DrainStep, HeldItem, Poll, PollReply } from '../../model/session.ts';
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
  type HeldItem as WireHeldItem,
} from '../gen/rollout/v1/worker_pb.ts';
import { refsFromWire, refsToWire } from './columns.ts';
import { DRAIN_STEPS, HELD_STATES, ORDERS, POLL_STATUSES, WORKER_STATES } from './enums.ts';
import { type Checked, FieldCheck, MAX_LIST } from './field-check.ts';
import { assignmentsFromWire, assignmentsToWire, outcomesFromWire, outcomesToWire, returnFromWire, returnToWire } from './items.ts';
import { wholeMs } from './whole-ms.ts';

/** The messages of WorkerService: what comes from the wire is checked, field by field, before anybody else sees it. */

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
    isAsking: true,
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
    outcomes: outcomesToWire(outcomes),
    started: refsToWire(started),
    returns: returns.map(returnToWire),
    drainSteps: drainSteps.map(drainStepToWire),
    waitMs: wholeMs(waitMs),
  });
}

export function pollFromWire(wire: PollRequest): Checked<Poll> {
  const check = new FieldCheck();
  const { hello, highestEpoch, acknowledgedBatch, isAwaiting } = wire;
  return check.done({
    workerId: check.workerId(wire.workerId),
    bootNonce: check.bootNonce(wire.bootNonce),
    session: check.counted('session', wire.session),
    poll: check.counted('poll', wire.poll),
    highestEpoch,
    hello: hello === undefined ? null : check.list('held', hello.held, (item) => heldFromWire(check, item)),
    acknowledgedBatch,
    isAwaiting,
    capacity: check.atMost('capacity', wire.capacity, MAX_LIST),
    outcomes: outcomesFromWire(check, wire.outcomes),
    returns: check.list('returns', wire.returns, (item) => returnFromWire(check, item)),
    started: refsFromWire(check, 'started', wire.started),
    drainSteps: check.list('drain_steps', wire.drainSteps, (one) => drainStepFromWire(check, one)),
    waitMs: check.atMost('wait_ms', wire.waitMs, MAX_POLL_WAIT_MS),
  });
}

function heldFromWire(check: FieldCheck, { ref, state }: WireHeldItem): HeldItem {
  return { ...check.ref(ref), state: check.word('state', state, HELD_STATES, 'queued') };
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
    assignments: assignmentsToWire(reply.assignments),
    revoked: refsToWire(reply.revoked),
    recalled: refsToWire(reply.recalled),
    acknowledged: refsToWire(reply.acknowledged),
    stale: refsToWire(reply.stale),
  });
}

export function pollReplyFromWire(wire: PollResponse): Checked<PollReply> {
  const check = new FieldCheck();
  const { epoch, batch, drainMs } = wire;
  const status = check.word('status', wire.status, POLL_STATUSES, 'hello-needed');
  if (status !== 'ok') return check.done({ status, epoch });
  return check.done({
    status,
    epoch,
    order: check.word('order', wire.order, ORDERS, 'work'),
    drainMs,
    reason: check.detail(wire.reason, 'reason'),
    batch,
    assignments: assignmentsFromWire(check, wire.assignments),
    revoked: refsFromWire(check, 'revoked', wire.revoked),
    recalled: refsFromWire(check, 'recalled', wire.recalled),
    acknowledged: refsFromWire(check, 'acknowledged', wire.acknowledged),
    stale: refsFromWire(check, 'stale', wire.stale),
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

export function drainStepToWire(one: DrainStep): MessageInitShape<typeof DrainStepSchema> {
  return { ...one, step: DRAIN_STEPS.toWire[one.step], remainingMs: wholeMs(one.remainingMs) };
}

export function drainStepFromWire(check: FieldCheck, { step, items, remainingMs, reason }: WireDrainStep): DrainStep {
  return { step: check.word('step', step, DRAIN_STEPS, 'stopped-pulling'), items, remainingMs, reason: check.detail(reason, 'reason') };
}

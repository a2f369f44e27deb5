import { create } from '@bufbuild/protobuf';
import type { DrainOrder, DrainReply, HintReply, HintWord } from '../../model/drain.ts';
import {
  type DrainRequest,
  DrainRequestSchema,
  type DrainResponse,
  DrainResponseSchema,
  type HintRequest,
  HintRequestSchema,
  type HintResponse,
  HintResponseSchema,
} from '../gen/rollout/v1/run_pb.ts';
import { DRAIN_REPLY_STATES, HINT_SEVERITIES, PROVIDER_NAMES } from './enums.ts';
import { type Checked, FieldCheck } from './field-check.ts';
import { drainStepFromWire, drainStepToWire } from './mapping.ts';
import { wholeMs } from './whole-ms.ts';

/** The orders of RunService. */

export function drainOrderToWire({ workerId, bootNonce, deadlineMs, reason }: DrainOrder): DrainRequest {
  return create(DrainRequestSchema, { workerId, bootNonce, deadlineMs: deadlineToWire(deadlineMs), reason });
}

export function drainOrderFromWire(wire: DrainRequest): Checked<DrainOrder> {
  const check = new FieldCheck();
  return check.done({
    workerId: check.workerId(wire.workerId),
    bootNonce: wire.bootNonce === '' ? '' : check.bootNonce(wire.bootNonce),
    deadlineMs: deadlineFromWire(wire.deadlineMs),
    reason: check.detail(wire.reason, 'reason'),
  });
}

export function drainReplyToWire(reply: DrainReply): DrainResponse {
  const state = DRAIN_REPLY_STATES.toWire[reply.state];
  if (reply.state === 'unknown') return create(DrainResponseSchema, { state, workers: [...reply.workers] });
  return create(DrainResponseSchema, { state, bootNonce: reply.bootNonce, steps: reply.steps.map(drainStepToWire) });
}

export function drainReplyFromWire(wire: DrainResponse): Checked<DrainReply> {
  const check = new FieldCheck();
  const state = check.word('state', wire.state, DRAIN_REPLY_STATES, 'unknown');
  if (state === 'unknown') return check.done({ state, workers: check.list('workers', wire.workers, (id) => check.workerId(id)) });
  return check.done({
    state,
    bootNonce: check.bootNonce(wire.bootNonce),
    steps: check.list('steps', wire.steps, (one) => drainStepFromWire(check, one)),
  });
}

export function hintToWire({ node, worker, severity, provider, deadlineMs, reason }: HintWord): HintRequest {
  return create(HintRequestSchema, {
    node: node ?? '',
    workerId: worker ?? '',
    severity: HINT_SEVERITIES.toWire[severity],
    provider: provider === null ? 0 : PROVIDER_NAMES.toWire[provider],
    deadlineMs: deadlineToWire(deadlineMs),
    reason,
  });
}

export function hintFromWire(wire: HintRequest): Checked<HintWord> {
  const check = new FieldCheck();
  check.that(wire.node !== '' || wire.workerId !== '', 'node', 'is missing: name the machine, or a worker with worker_id');
  return check.done({
    node: wire.node === '' ? null : check.detail(wire.node, 'node'),
    worker: wire.workerId === '' ? null : check.workerId(wire.workerId),
    severity: check.word('severity', wire.severity, HINT_SEVERITIES, 'hint'),
    provider: wire.provider === 0 ? null : check.word('provider', wire.provider, PROVIDER_NAMES, 'aws'),
    deadlineMs: deadlineFromWire(wire.deadlineMs),
    reason: check.detail(wire.reason, 'reason'),
  });
}

export function hintReplyToWire(reply: HintReply): HintResponse {
  return create(HintResponseSchema, { workers: [...reply.workers] });
}

export function hintReplyFromWire(wire: HintResponse): Checked<HintReply> {
  const check = new FieldCheck();
  return check.done({ workers: check.list('workers', wire.workers, (id) => check.workerId(id)) });
}

/** 0 stands for "none given": a deadline that is over already is the shortest that can be said. */
function deadlineToWire(deadlineMs: number | null): number {
  return deadlineMs === null ? 0 : Math.max(1, wholeMs(deadlineMs));
}

function deadlineFromWire(deadlineMs: number): number | null {
  return deadlineMs === 0 ? null : deadlineMs;
}

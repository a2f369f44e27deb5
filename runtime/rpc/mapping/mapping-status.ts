import { create } from '@bufbuild/protobuf';
import type { RunState } from '../../model/run.ts';
import type { CoordinatorInfo, RunStatus, WaitReason, WorkerStatus } from '../../model/status.ts';
import { type IdentifyResponse, IdentifyResponseSchema } from '../gen/rollout/v1/coordinator_pb.ts';
import { type StatusResponse, StatusResponseSchema } from '../gen/rollout/v1/run_pb.ts';
import { ROLES, RUN_STATES, STATUS_STATES } from './enums.ts';
import { type Checked, FieldCheck } from './field-check.ts';
import { wholeMs } from './whole-ms.ts';

const KIB = 1_024;

/** The messages of RunService and CoordinatorService. */

export function statusToWire(status: RunStatus): StatusResponse {
  const { state, workers, waits, stall, results, ...same } = status;
  return create(StatusResponseSchema, {
    ...same,
    state: state.kind,
    reason: state.kind === 'paused' ? state.reason : '',
    workers: workers.map((worker) => ({ ...worker, sinceBeatMs: wholeMs(worker.sinceBeatMs) })),
    waits: waits.map(({ reason, items, nextTryMs }) => ({
      ...{ reason, items },
      ...(nextTryMs === null ? {} : { nextTryMs: wholeMs(nextTryMs) }),
    })),
    stalledMs: stall === null ? 0 : Math.max(1, wholeMs(stall.sinceMs)),
    stallWhy: stall?.why ?? '',
    resultsKib: Math.ceil((results?.usedBytes ?? 0) / KIB),
    resultsLimitKib: Math.ceil((results?.limitBytes ?? 0) / KIB),
  });
}

export function statusFromWire(wire: StatusResponse): Checked<RunStatus> {
  const check = new FieldCheck();
  const { runId, epoch, items, isIndexed, done, failed, running, prefetched, handedBack, redone } = wire;
  return check.done({
    runId,
    state: runState(check.text('state', wire.state, RUN_STATES, 'running'), wire.reason),
    epoch,
    items,
    isIndexed,
    done,
    failed,
    running,
    prefetched,
    handedBack,
    redone,
    workers: check.list(
      'workers',
      wire.workers,
      (worker): WorkerStatus => ({
        workerId: check.workerId(worker.workerId),
        state: check.text('state', worker.state, STATUS_STATES, 'init'),
        running: worker.running,
        concurrency: worker.concurrency,
        sinceBeatMs: worker.sinceBeatMs,
        detail: check.detail(worker.detail),
      }),
    ),
    waits: check.list(
      'waits',
      wire.waits,
      ({ reason, items: waiting, nextTryMs }): WaitReason => ({
        reason: check.detail(reason, 'reason'),
        items: waiting,
        nextTryMs: nextTryMs ?? null,
      }),
    ),
    stall: wire.stalledMs === 0 ? null : { sinceMs: wire.stalledMs, why: check.detail(wire.stallWhy, 'stall_why') },
    results: wire.resultsLimitKib === 0 ? null : { usedBytes: wire.resultsKib * KIB, limitBytes: wire.resultsLimitKib * KIB },
  });
}

export function infoToWire(info: CoordinatorInfo): IdentifyResponse {
  return create(IdentifyResponseSchema, { ...info, role: ROLES.toWire[info.role] });
}

export function infoFromWire(wire: IdentifyResponse): Checked<CoordinatorInfo> {
  const check = new FieldCheck();
  return check.done({ epoch: wire.epoch, role: check.word('role', wire.role, ROLES, 'passive'), primaryAddress: wire.primaryAddress });
}

function runState(kind: RunState['kind'], reason: string): RunState {
  return kind === 'paused' ? { kind, reason } : { kind };
}

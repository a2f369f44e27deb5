import type { ResultsRoom } from '../../model/results-kind.ts';
import type { RunState } from '../../model/run.ts';
import type { RunStatus, WorkerStatus } from '../../model/status.ts';
import { countRunning } from '../state/mirror.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';
import { stallOf } from './stall.ts';
import { waitsOf } from './waits.ts';

/** What `rollout status` is told, at `nowMs` of the monotonic clock. */
export function statusOf(runId: string, state: State, nowMs: number, results: ResultsRoom | null = null): RunStatus {
  const { running, prefetched } = countRunning(state);
  return {
    runId,
    state: runStateOf(state),
    epoch: state.epoch,
    items: state.supply.items ?? state.supply.indexed,
    isIndexed: state.supply.items !== null,
    done: state.done,
    failed: state.failed,
    running,
    prefetched,
    handedBack: state.items.size - running,
    redone: state.redone,
    workers: [...state.workers.values()].map((worker) => workerStatus(worker, nowMs)),
    waits: waitsOf(state, nowMs),
    stall: stallOf(state, nowMs),
    results,
  };
}

function runStateOf({ phase }: State): RunState {
  switch (phase.kind) {
    case 'pausing':
      return { kind: 'paused', reason: phase.reason };
    case 'finished':
      return { kind: 'completed' };
    case 'running':
    case 'finishing':
    case 'stopped':
      return { kind: 'running' };
  }
}

/** A worker that only the ledger knows, and that has not been heard since this coordinator's boot, is suspected. */
function workerStatus(worker: Worker, nowMs: number): WorkerStatus {
  return {
    workerId: worker.id,
    state: worker.isSuspected || worker.state === 'unknown' ? 'suspected' : worker.state,
    running: worker.items.size,
    concurrency: worker.concurrency,
    sinceBeatMs: Math.max(0, Math.round(nowMs - worker.lastBeatMs)),
    detail: worker.detail,
  };
}

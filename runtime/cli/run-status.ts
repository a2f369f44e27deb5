import type { RunStatus } from '../model/status.ts';

/** Where a run stands, as the verbs show it: told by the live coordinator, or read from the store when none answers. */
export interface SeenStatus extends RunStatus {
  readonly isLive: boolean;
  /** The pid of the `rollout run` that keeps the processes of the run alive; null where none is seen. */
  readonly runPid: number | null;
  /** What stood in the way of a coordinator that is there and did not answer; null where none is there, or it answered. */
  readonly silence: string | null;
}

export function settledItems(status: Pick<RunStatus, 'done' | 'failed'>): number {
  return status.done + status.failed;
}

export function openItems(status: Pick<RunStatus, 'items' | 'done' | 'failed'>): number {
  return Math.max(0, status.items - settledItems(status));
}

/** Not handed out yet: done + failed + running + waiting + these are all items. */
export function itemsToDo(status: Pick<RunStatus, 'items' | 'done' | 'failed' | 'running' | 'handedBack'>): number {
  return Math.max(0, openItems(status) - status.running - status.handedBack);
}

import type { RunStatus } from '../model/status.ts';

/** Where a run stands, as the verbs show it: told by the live coordinator, or read from the store when none answers. */
export interface SeenStatus extends RunStatus {
  readonly isLive: boolean;
}

export function settledItems(status: Pick<RunStatus, 'done' | 'failed'>): number {
  return status.done + status.failed;
}

export function openItems(status: Pick<RunStatus, 'items' | 'done' | 'failed'>): number {
  return Math.max(0, status.items - settledItems(status));
}

import type { RunStatus } from '../../model/status.ts';

/** Where a run stands, as the verbs show it: told by the live coordinator, or read from the store when none answers. */
export interface SeenStatus extends RunStatus {
  readonly isLive: boolean;
  /** The pid of the `rollout run` that keeps the processes of the run alive; null where none is seen. */
  readonly runPid: number | null;
  /** What stood in the way of a coordinator that is there and did not answer; null where none is there, or it answered. */
  readonly silence: string | null;
  /** Why the last `rollout run` ended before the run did; empty where that is not known, or a process is there. */
  readonly endReason: string;
  /** The keys of the finished run have expired on their server: this is how it ended. */
  readonly isExpired: boolean;
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

/** No process of the run is seen. */
export function isGone({ isLive, runPid, silence }: Pick<SeenStatus, 'isLive' | 'runPid' | 'silence'>): boolean {
  return !isLive && runPid === null && silence === null;
}

/** As `rollout status --json` has it: what is recorded as running is unfinished where no coordinator answers. */
export function statusJson(seen: SeenStatus): Record<string, unknown> {
  return { ...seen, state: seen.state.kind === 'running' && !seen.isLive ? { kind: 'unfinished' } : seen.state };
}

/** A watch of a run: what was shown last, and how many looks found nobody who answers. */
export interface Watch {
  readonly shown: string;
  readonly wasThere: boolean;
  readonly looksWithout: number;
}

export const NO_WATCH: Watch = { shown: '', wasThere: false, looksWithout: 0 };

/** A coordinator that was there may be on its way back: so many looks without an answer end the watch. */
const PATIENT_LOOKS = 10;

/** One that has ended is shown once: its page stays as it is. */
export function onLook(
  watch: Watch,
  seen: SeenStatus,
  page: string,
): { readonly watch: Watch; readonly isNews: boolean; readonly isOver: boolean } {
  const looksWithout = seen.isLive || seen.runPid !== null ? 0 : watch.looksWithout + 1;
  const next = { shown: page, wasThere: watch.wasThere || !isGone(seen), looksWithout };
  const mayComeBack = next.wasThere && seen.state.kind === 'running' && looksWithout < PATIENT_LOOKS;
  const isOver = seen.state.kind === 'completed' || (looksWithout > 0 && !mayComeBack);
  return { watch: next, isNews: page !== watch.shown, isOver };
}

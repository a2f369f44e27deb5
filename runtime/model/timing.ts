import { formatDuration } from '../base/config/quantity.ts';

/** The times that coordinator and workers of a run must agree on. All durations are monotonic. */
export interface Timing {
  readonly heartbeatIntervalMs: number;
  /** How long a worker may be silent before it is failed; the lease's time to live as well. */
  readonly coordinatorFailureTimeoutMs: number;
  /** How long a worker goes on starting items without a valid reply. */
  readonly workerSelfFenceTimeoutMs: number;
  readonly clockSkewBudgetMs: number;
  readonly leaseRenewIntervalMs: number;
  /** The longest that a poll waits for work. */
  readonly pollWaitMs: number;
}

/** What a coordinator tells its workers: its times override their settings (C12). */
export type ToldTiming = Pick<Timing, 'heartbeatIntervalMs' | 'workerSelfFenceTimeoutMs' | 'pollWaitMs'>;

/**
 * On a stream the coordinator says something at least every so many of the intervals that it told. More often would be most of what an idle
 * worker costs it, and the pings of the transport notice a connection that is dead.
 */
export const WORD_INTERVALS = 3;

/**
 * Of so many beats one asks for an answer. Twice within the self-fence timeout, so that one answer that is late does not make a worker
 * fence itself.
 */
export function beatsPerAnswer({ heartbeatIntervalMs, workerSelfFenceTimeoutMs }: ToldTiming): number {
  return Math.max(1, Math.min(WORD_INTERVALS, Math.floor(workerSelfFenceTimeoutMs / 2 / heartbeatIntervalMs)));
}

/** Beats that a coordinator hears in a second, if it can: more cost it a large part of a core. */
const MAX_BEATS_PER_SECOND = 1_000;
/** Beats within the self-fence timeout, at least, so that a few that are late do no harm. */
const MIN_BEATS_PER_FENCE = 4;

/**
 * How often each of so many workers is to beat: every `heartbeatInterval`, or a whole multiple of it where they are many. When a silent
 * worker is failed does not depend on it.
 */
export function beatIntervalMs({ heartbeatIntervalMs, workerSelfFenceTimeoutMs }: ToldTiming, workers: number): number {
  const wanted = Math.ceil((workers * 1_000) / MAX_BEATS_PER_SECOND / heartbeatIntervalMs);
  const most = Math.floor(workerSelfFenceTimeoutMs / MIN_BEATS_PER_FENCE / heartbeatIntervalMs);
  return heartbeatIntervalMs * Math.max(1, Math.min(wanted, most));
}

/** A poll is answered within this, under every proxy's idle limit. */
export const MAX_POLL_WAIT_MS = 20_000;

export interface TimingMistake {
  readonly field: string;
  readonly problem: string;
}

/** What must hold between the times, checked when a process starts; each answer names both settings with both values. */
export function checkTiming(timing: Timing): readonly TimingMistake[] {
  const {
    heartbeatIntervalMs,
    coordinatorFailureTimeoutMs,
    workerSelfFenceTimeoutMs,
    clockSkewBudgetMs,
    leaseRenewIntervalMs,
    pollWaitMs,
  } = timing;
  const failure = `\`coordinatorFailureTimeout\` (${formatDuration(coordinatorFailureTimeoutMs)})`;
  const mistakes: TimingMistake[] = [];
  // A worker must have stopped starting items before the coordinator hands them to another.
  if (workerSelfFenceTimeoutMs >= coordinatorFailureTimeoutMs) {
    mistakes.push(shorter('workerSelfFenceTimeout', workerSelfFenceTimeoutMs, failure));
  }
  if (clockSkewBudgetMs >= 2 * heartbeatIntervalMs) {
    mistakes.push(
      shorter('clockSkewBudget', clockSkewBudgetMs, `twice \`heartbeatInterval\` (2 x ${formatDuration(heartbeatIntervalMs)})`),
    );
  }
  if (leaseRenewIntervalMs >= coordinatorFailureTimeoutMs) {
    mistakes.push(shorter('leaseRenewInterval', leaseRenewIntervalMs, `the lease's time to live, ${failure}`));
  }
  if (pollWaitMs > MAX_POLL_WAIT_MS) {
    mistakes.push({
      field: 'timing.pollWait',
      problem: `is ${formatDuration(pollWaitMs)}, and must be at most ${formatDuration(MAX_POLL_WAIT_MS)}`,
    });
  }
  return mistakes;
}

/**
 * For a coordinator, whose times are also those of its workers: with beats further apart than `workerSelfFenceTimeout` a worker would
 * fence itself between two beats.
 */
export function checkBeats({ heartbeatIntervalMs, workerSelfFenceTimeoutMs }: Timing): readonly TimingMistake[] {
  if (heartbeatIntervalMs < workerSelfFenceTimeoutMs) return [];
  const limit = `\`workerSelfFenceTimeout\` (${formatDuration(workerSelfFenceTimeoutMs)})`;
  return [shorter('heartbeatInterval', heartbeatIntervalMs, limit)];
}

function shorter(setting: string, ms: number, limit: string): TimingMistake {
  return {
    field: `timing.${setting}`,
    problem: `is ${formatDuration(ms)}, and must be shorter than ${limit}: lower the one or raise the other`,
  };
}

/**
 * Whether the main loop hangs, told by the thread that beats. It looks at the loop's mark with each beat and counts the beats
 * during which the mark did not move; a process that was stopped as a whole counts nothing, since the thread stood still too.
 */
export interface Watched {
  readonly lastSeenMs: number;
  /** Beats since the mark moved. */
  readonly stuckBeats: number;
}

export function onGlance(before: Watched, lastSeenMs: number): Watched {
  return { lastSeenMs, stuckBeats: lastSeenMs === before.lastSeenMs ? before.stuckBeats + 1 : 0 };
}

export function isHung({ stuckBeats }: Watched, heartbeatIntervalMs: number, maxLoopBlockMs: number): boolean {
  return stuckBeats * heartbeatIntervalMs >= maxLoopBlockMs;
}

/**
 * Whether the main loop hangs, told by the thread that beats. It looks at the loop's mark with each beat and adds up the time during
 * which the mark did not move. Beats that follow one another quickly, as those to a coordinator that is away do, count for the little
 * time between them; and a process that was stopped as a whole counts no more than one interval, since the thread stood still too.
 */
export interface Watched {
  readonly lastSeenMs: number;
  /** When it was looked at. */
  readonly atMs: number;
  /** How long the mark has not moved. */
  readonly stuckMs: number;
}

export function onSample(before: Watched, nowMs: number, lastSeenMs: number, heartbeatIntervalMs: number): Watched {
  const stuckMs = before.stuckMs + Math.min(nowMs - before.atMs, heartbeatIntervalMs);
  return { lastSeenMs, atMs: nowMs, stuckMs: lastSeenMs === before.lastSeenMs ? stuckMs : 0 };
}

export function isHung({ stuckMs }: Watched, maxLoopBlockMs: number): boolean {
  return stuckMs >= maxLoopBlockMs;
}

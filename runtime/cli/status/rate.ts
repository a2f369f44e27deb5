/** How fast a run goes and how long it will take, smoothed: an exponentially weighted mean over about half a minute. */

/** Long enough that slow and quick answers even out, short enough that a change of pace is seen within a minute. */
const SMOOTHING_MS = 30_000;

export interface Rate {
  /** When the first items were on their way: what processes take to start says nothing about the rate. */
  readonly startedMs: number;
  readonly atMs: number;
  readonly settled: number;
  /** Items per second; null until something was settled. */
  readonly perSecond: number | null;
}

export function startRate(atMs: number, settled: number): Rate {
  return { startedMs: atMs, atMs, settled, perSecond: null };
}

export function onSettled(rate: Rate, atMs: number, settled: number): Rate {
  const elapsedMs = atMs - rate.atMs;
  if (elapsedMs <= 0) return rate;
  if (rate.perSecond === null && settled <= rate.settled) return startRate(atMs, settled);
  const now = (Math.max(0, settled - rate.settled) * 1000) / elapsedMs;
  // A plain mean at first, so that the first moment does not count for more than the next ones.
  const weight = Math.max(1 - Math.exp(-elapsedMs / SMOOTHING_MS), elapsedMs / (atMs - rate.startedMs));
  const perSecond = rate.perSecond === null ? now : rate.perSecond + weight * (now - rate.perSecond);
  return { startedMs: rate.startedMs, atMs, settled, perSecond };
}

/** Seconds that the remaining items will take; null where nothing can be said. */
export function etaSeconds(rate: Rate, remaining: number): number | null {
  if (remaining <= 0) return 0;
  if (rate.perSecond === null || rate.perSecond < 1e-6) return null;
  return remaining / rate.perSecond;
}

export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min ${s} s` : `${s} s`;
}

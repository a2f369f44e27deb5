import { WORD_INTERVALS } from '../../model/timing.ts';

/**
 * How long the worker waits for a word of the coordinator before it takes the stream for dead. The coordinator says something every
 * three heartbeat intervals, and proxies in between may answer the pings of the transport for it. All times in milliseconds. Pure.
 */
export interface Silence {
  /** Since something was heard. */
  readonly silentMs: number;
  /** How much is borne now. */
  readonly limitMs: number;
  /** How long no silence was longer than the usual limit. */
  readonly calmMs: number;
}

/** Two words missed in a row, three seconds: a busy peer may be late by half of that. */
export const SILENT_INTERVALS: number = 2 * WORD_INTERVALS;
/** A single long line fills a slow way for so long, at most: 16 MiB at 2 Mbit/s. */
export const MAX_SILENCE_MS = 64_000;
/** So long without a long silence, and the way counts as fast again. */
export const CALM_MS = 30_000;

export function newSilence(heartbeatIntervalMs: number): Silence {
  return { silentMs: 0, limitMs: usualLimitMs(heartbeatIntervalMs), calmMs: 0 };
}

/** A new stream begins, or something was heard. */
export function onHeard(silence: Silence): Silence {
  return { ...silence, silentMs: 0 };
}

export function onWaited(silence: Silence, waitedMs: number, heartbeatIntervalMs: number): Silence {
  const usualMs = usualLimitMs(heartbeatIntervalMs);
  const silentMs = silence.silentMs + waitedMs;
  const calmMs = silentMs > usualMs ? 0 : silence.calmMs + waitedMs;
  return { silentMs, calmMs, limitMs: calmMs >= CALM_MS ? usualMs : silence.limitMs };
}

export function isTooLong({ silentMs, limitMs }: Silence): boolean {
  return silentMs > limitMs;
}

/** Given up: perhaps only a long message was slow to come, so that the next stream is borne with for longer. */
export function onGivenUp(silence: Silence): Silence {
  return { silentMs: 0, limitMs: Math.min(MAX_SILENCE_MS, silence.limitMs * 2), calmMs: 0 };
}

function usualLimitMs(heartbeatIntervalMs: number): number {
  return SILENT_INTERVALS * heartbeatIntervalMs;
}

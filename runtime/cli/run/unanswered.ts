import type { RunEvent } from '../../model/event.ts';

/**
 * A coordinator that is alive but does not answer (stopped or hanging) looks like a run that makes progress. The user is told so, with
 * the cause if it is known, and again while it lasts.
 */
export interface Unanswered {
  readonly answeredMs: number;
  /** What was told last, and when; null while there was nothing to tell. */
  readonly told: { readonly cause: string | null; readonly atMs: number } | null;
}

interface Told {
  readonly next: Unanswered;
  /** For people; null where there is nothing new to say. */
  readonly notice: string | null;
  /** The same, for the events of the run. */
  readonly event: RunEvent | null;
}

/** One that was killed is back within seconds, and has then taken over its run. */
const LONG_MS = 15_000;
/** A known cause, such as a certificate that is not accepted, rarely goes away without help. */
const LONG_WITH_CAUSE_MS = 5_000;
const AGAIN_AFTER_MS = 60_000;
/** The transport's status if no answer came in time: the process may hang. */
const NO_CAUSE = /DEADLINE_EXCEEDED/;

export function onAnswer({ told, answeredMs }: Unanswered, nowMs: number): Told {
  const next = { answeredMs: nowMs, told: null };
  if (told === null) return { next, notice: null, event: null };
  return {
    next,
    notice: 'The coordinator answers again.',
    event: { kind: 'coordinator_answers', silentMs: Math.round(nowMs - answeredMs) },
  };
}

/** `silence`: why the last question had no answer, as far as it is known. */
export function onNoAnswer(before: Unanswered, nowMs: number, logFile: string, silence: string | null): Told {
  const cause = silence === null || NO_CAUSE.test(silence) ? null : silence;
  const silentMs = nowMs - before.answeredMs;
  const { told } = before;
  const isNews = told === null || told.cause !== cause || (cause !== null && nowMs - told.atMs >= AGAIN_AFTER_MS);
  if (silentMs < (cause === null ? LONG_MS : LONG_WITH_CAUSE_MS) || !isNews) return { next: before, notice: null, event: null };
  return {
    next: { ...before, told: { cause, atMs: nowMs } },
    notice: noticeOf(Math.round(silentMs / 1_000), logFile, cause),
    event: { kind: 'coordinator_silent', reason: cause ?? '', silentMs: Math.round(silentMs) },
  };
}

/** A hint to end the process would contradict a known cause: it comes back with the same one. */
function noticeOf(seconds: number, logFile: string, cause: string | null): string {
  const silence = `The coordinator has not answered for ${seconds} s`;
  if (cause === null) return `${silence}: ${logFile} may say why. Where its process is stopped or hangs, kill it: it is started again.`;
  return `${silence}, at ${cause}. Nothing goes on before that is put right; progress is kept.`;
}

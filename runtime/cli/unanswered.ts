/** A coordinator that lives and is silent, stopped or hanging, looks like a run that goes on: whoever watches is told, once each time. */
export interface Unanswered {
  readonly answeredMs: number;
  readonly isTold: boolean;
}

interface Told {
  readonly next: Unanswered;
  /** For people; null where there is nothing new to say. */
  readonly notice: string | null;
}

/** One that was killed is back within seconds, and has then taken over its run. */
const LONG_MS = 15_000;

export function onAnswer({ isTold }: Unanswered, nowMs: number): Told {
  return { next: { answeredMs: nowMs, isTold: false }, notice: isTold ? 'The coordinator answers again.' : null };
}

export function onNoAnswer(before: Unanswered, nowMs: number, logFile: string): Told {
  const silentMs = nowMs - before.answeredMs;
  if (before.isTold || silentMs < LONG_MS) return { next: before, notice: null };
  const seconds = Math.round(silentMs / 1000);
  return {
    next: { ...before, isTold: true },
    notice: `The coordinator has not answered for ${seconds} s: ${logFile} may say why. Where its process is stopped or hangs, kill it: it is started again.`,
  };
}

import type { Clock, Timer } from '../base/clock.ts';
import type { Uncounted } from './backends/contract.ts';

/** The time that an execution has. */
export interface Deadline {
  readonly uncounted: Uncounted;
  stop(): void;
}

/** `onOver` is called once so much time has been counted, unless it was stopped before. One wait at a time is left out. */
export function startDeadline(clock: Clock, limitMs: number, onOver: () => void): Deadline {
  let isStopped = false;
  let dueAtMs = clock.monotonicMs() + limitMs;
  let timer: Timer = clock.after(limitMs, onOver);
  const goOn = (leftMs: number): void => {
    if (isStopped) return;
    dueAtMs = clock.monotonicMs() + leftMs;
    timer = clock.after(leftMs, onOver);
  };
  return {
    uncounted: async (wait) => {
      const leftMs = Math.max(0, dueAtMs - clock.monotonicMs());
      timer.stop();
      return wait.finally(() => goOn(leftMs));
    },
    stop: () => {
      isStopped = true;
      timer.stop();
    },
  };
}

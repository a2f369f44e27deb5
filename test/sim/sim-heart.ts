import { Heart, type HeartDeps } from '../../runtime/worker/heartbeat/heart.ts';
import type { Heartbeat } from '../../runtime/worker/heartbeat/heartbeat.ts';
import type { SimProcess } from './sim-process.ts';

export interface SimHeart extends Pick<HeartDeps, 'settings' | 'link' | 'onFailure'> {
  readonly process: SimProcess;
  readonly onBeat: (beat: { readonly epoch: number; readonly isSuperseded: boolean; readonly receivedMs: number }) => void;
}

/** The thread that beats (heart-thread.ts): the real heart, on a lane of its own, and what goes between it and the main loop. */
export function startHeart({ process, settings, link, onFailure, onBeat }: SimHeart): Heartbeat {
  const clock = process.heartClock;
  const toThread = (run: (heart: Heart) => void): void => void clock.after(0, () => heart !== null && run(heart));
  let heart: Heart | null = null;
  clock.after(0, () => {
    heart = new Heart({
      settings,
      link,
      clock,
      onOutdated: () => undefined,
      onFailure,
      loopLagMs: () => 0,
      onAnswered: (beat) => process.whenOn(() => onBeat(beat)),
    });
  });
  return {
    say: (state, detail) => toThread((there) => there.say(state, detail)),
    tellEpoch: (epoch) => toThread((there) => there.tellEpoch(epoch)),
    replaceAddresses: () => undefined,
    stop: () => new Promise((resolve) => toThread((there) => void there.stop().then(() => process.whenOn(resolve), onFailure))),
  };
}

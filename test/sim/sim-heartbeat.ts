import { BeatSender, type BeatSenderDeps } from '../../runtime/worker/heartbeat/beat-sender.ts';
import type { Heartbeat } from '../../runtime/worker/heartbeat/heartbeat.ts';
import type { SimProcess } from './sim-process.ts';

export interface SimHeartbeat extends Pick<BeatSenderDeps, 'settings' | 'link' | 'onFailure'> {
  readonly process: SimProcess;
  readonly onBeat: (beat: { readonly epoch: number; readonly isSuperseded: boolean; readonly receivedMs: number }) => void;
}

/** The thread that beats (heartbeat-thread.ts): the real sender of beats, on a lane of its own, and what goes between it and the main loop. */
export function startSimHeartbeat({ process, settings, link, onFailure, onBeat }: SimHeartbeat): Heartbeat {
  const clock = process.heartbeatClock;
  const toThread = (run: (beatSender: BeatSender) => void): void => void clock.after(0, () => beatSender !== null && run(beatSender));
  let beatSender: BeatSender | null = null;
  clock.after(0, () => {
    beatSender = new BeatSender({
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

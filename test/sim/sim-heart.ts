import type { Heartbeat } from '../../runtime/worker/heartbeat.ts';
import type { Link } from '../../runtime/worker/link.ts';
import type { SimProcess } from './sim-process.ts';
import type { Seen, WorkerChecker } from './worker-checker.ts';

export interface Heart {
  readonly concurrency: number;
  readonly heartbeatIntervalMs: number;
  readonly onFailure: (cause: unknown) => void;
  readonly process: SimProcess;
  readonly link: Link;
  readonly bootNonce: string;
  readonly epoch: number;
  readonly seen: Seen;
  readonly checker: WorkerChecker;
  readonly onBeat: (beat: { readonly epoch: number; readonly isSuperseded: boolean; readonly receivedMs: number }) => void;
}

/** What the thread that beats does (heart-thread.ts), on the clock of the simulation. */
export function startHeart(heart: Heart): Heartbeat {
  const { process, link, seen, onFailure, heartbeatIntervalMs, concurrency } = heart;
  const clock = process.heartClock;
  const underWay = new Set<Promise<void>>();
  let said: Parameters<Heartbeat['say']>[0] = 'init';
  let highestEpoch = heart.epoch;
  let [isMoving, isStopped, detail] = [false, false, ''];
  const beatOnce = async (): Promise<void> => {
    const beat = {
      workerId: seen.worker,
      bootNonce: heart.bootNonce,
      state: said,
      concurrency,
      pid: process.pid,
      loopLagMs: 0,
      highestEpoch,
      detail,
      node: '',
    };
    heart.checker.onBeatSent(seen, said);
    const called = await link.call((client) => client.beat(beat, heartbeatIntervalMs * 4));
    if (called.kind === 'left') return;
    if (called.kind === 'failed' || called.reply.epoch < highestEpoch) return moveOn();
    highestEpoch = called.reply.epoch;
    const received = { ...called.reply, receivedMs: clock.monotonicMs() };
    process.whenOn(() => heart.onBeat(received));
  };
  const beat = (): void => {
    if (isStopped || isMoving) return;
    const one = beatOnce();
    underWay.add(one);
    one.finally(() => underWay.delete(one)).catch(onFailure);
  };
  const moveOn = (): void => {
    if (isMoving || isStopped) return;
    isMoving = true;
    link
      .move()
      .then(() => {
        isMoving = false;
        beat();
      })
      .catch(onFailure);
  };
  const timer = clock.every(heartbeatIntervalMs, beat);
  clock.after(0, beat);
  const toThread = (run: () => void): void => void clock.after(0, run);
  return {
    say: (next, why) =>
      toThread(() => {
        said = next;
        detail = why;
        beat();
      }),
    tellEpoch: (next) =>
      toThread(() => {
        highestEpoch = Math.max(highestEpoch, next);
      }),
    replaceAddresses: () => undefined,
    stop: async () => {
      isStopped = true;
      timer.stop();
      await Promise.allSettled(underWay);
    },
  };
}

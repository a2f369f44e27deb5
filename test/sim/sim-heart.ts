import type { Heartbeat } from '../../runtime/worker/heartbeat.ts';
import type { Link } from '../../runtime/worker/link.ts';
import type { WorkerLoop } from '../../runtime/worker/loop.ts';
import { SETTINGS } from '../support/machine.ts';
import type { SimProcess } from './sim-process.ts';

export interface Heart {
  readonly concurrency: number;
  readonly onFailure: (cause: unknown) => void;
  readonly process: SimProcess;
  readonly link: Link;
  readonly id: string;
  readonly bootNonce: string;
  readonly epoch: number;
  readonly onBeat: Parameters<WorkerLoop['onBeat']>[0] extends infer Beat ? (beat: Beat) => void : never;
}

/** What the thread that beats does (heart-thread.ts), on the clock of the simulation. */
export function startHeart({ concurrency, onFailure, process, link, id, bootNonce, epoch, onBeat }: Heart): Heartbeat {
  const { clock } = process;
  const underWay = new Set<Promise<void>>();
  let [said, highestEpoch, isMoving, isStopped] = ['init' as Parameters<Heartbeat['say']>[0], epoch, false, false];
  let detail = '';
  const beatOnce = async (): Promise<void> => {
    const beat = { workerId: id, bootNonce, state: said, concurrency, pid: 1, loopLagMs: 0, highestEpoch, detail, node: '' };
    const called = await link.call((client) => client.beat(beat, SETTINGS.heartbeatIntervalMs * 4));
    await process.on();
    if (called.kind === 'left') return;
    if (called.kind === 'failed' || called.reply.epoch < highestEpoch) return moveOn();
    highestEpoch = called.reply.epoch;
    onBeat({ ...called.reply, receivedMs: clock.monotonicMs() });
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
  const timer = clock.every(SETTINGS.heartbeatIntervalMs, beat);
  clock.after(0, beat);
  return {
    say: (next, why) => {
      said = next;
      detail = why;
      beat();
    },
    tellEpoch: (next) => {
      highestEpoch = Math.max(highestEpoch, next);
    },
    replaceAddresses: () => undefined,
    stop: async () => {
      isStopped = true;
      timer.stop();
      await Promise.allSettled(underWay);
    },
  };
}

import { systemClock as clock } from '../../runtime/base/clock.ts';
import type { Heartbeat } from '../../runtime/worker/heartbeat/heartbeat.ts';
import type { WorkerLoop } from '../../runtime/worker/loop.ts';
import type { Link } from '../../runtime/worker/session/link.ts';

export interface HerdHeartbeat {
  readonly workerId: string;
  readonly bootNonce: string;
  readonly link: Link;
  readonly heartbeatIntervalMs: number;
  readonly onBeat: WorkerLoop['onBeat'];
  readonly onFailure: (cause: unknown) => void;
}

/** What the thread that beats does (heartbeat-thread.ts), without the thread: a herd has one process for many workers. */
export function startHerdHeartbeat({ workerId, bootNonce, link, heartbeatIntervalMs, onBeat, onFailure }: HerdHeartbeat): Heartbeat {
  const underWay = new Set<Promise<void>>();
  let [state, detail, highestEpoch, isMoving, isStopped] = ['init' as Parameters<Heartbeat['say']>[0], '', 0, false, false];
  const beatOnce = async (): Promise<void> => {
    const beat = { workerId, bootNonce, state, concurrency: 1, pid: 1, loopLagMs: 0, highestEpoch, detail, node: '' };
    const called = await link.call((client) => client.beat(beat, heartbeatIntervalMs * 4));
    if (called.kind === 'left') return;
    if (called.kind === 'failed' || called.reply.epoch < highestEpoch) return move();
    highestEpoch = called.reply.epoch;
    onBeat({ ...called.reply, receivedMs: clock.monotonicMs() });
  };
  const beat = (): void => {
    if (isStopped || isMoving) return;
    const one = beatOnce();
    underWay.add(one);
    one.finally(() => underWay.delete(one)).catch(onFailure);
  };
  const move = async (): Promise<void> => {
    if (isMoving || isStopped) return;
    isMoving = true;
    await link.move();
    isMoving = false;
    beat();
  };
  const timer = clock.every(heartbeatIntervalMs, beat);
  clock.after(0, beat);
  return {
    say: (next, why) => {
      [state, detail] = [next, why];
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

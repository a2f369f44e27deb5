import { systemClock as clock } from '../../runtime/base/clock.ts';
import { BeatSender, type BeatSenderDeps } from '../../runtime/worker/heartbeat/beat-sender.ts';
import type { Heartbeat } from '../../runtime/worker/heartbeat/heartbeat.ts';

export type HerdHeartbeat = Pick<BeatSenderDeps, 'link' | 'onAnswered' | 'onFailure'> & {
  readonly workerId: string;
  readonly bootNonce: string;
  readonly heartbeatIntervalMs: number;
};

/** The beats of a worker process without its thread (heartbeat-thread.ts): a herd has one process for many workers. */
export function startHerdHeartbeat({ workerId, bootNonce, heartbeatIntervalMs, ...deps }: HerdHeartbeat): Heartbeat {
  const settings = { workerId, bootNonce, heartbeatIntervalMs, concurrency: 1, pid: 1, node: '', highestEpoch: 0 };
  const sender = new BeatSender({ ...deps, settings, clock, loopLagMs: () => 0, onOutdated: () => undefined });
  return {
    say: (state, detail) => sender.say(state, detail),
    tellEpoch: (epoch) => sender.tellEpoch(epoch),
    replaceAddresses: () => undefined,
    stop: () => sender.stop(),
  };
}

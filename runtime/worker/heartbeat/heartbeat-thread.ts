import { parentPort, workerData } from 'node:worker_threads';
import { assertNever, mustGet } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { type LogThrottle, NEW_LOG_THROTTLE, onReason } from '../../base/log-throttle.ts';
import { killSelf } from '../../base/process/kill-self.ts';
import { systemRandom } from '../../base/random.ts';
import type { Epoch } from '../../model/row.ts';
import type { ToldTiming } from '../../model/timing.ts';
import { createWorkerClient } from '../../rpc/client.ts';
import { isHostUnknown } from '../../rpc/host-name.ts';
import { clientCredentials } from '../../rpc/tls.ts';
import { createLink } from '../session/link.ts';
import { BeatSender } from './beat-sender.ts';
import { isHung, onSample, type Watched } from './hang.ts';
import type { FromHeartbeatThread, HeartbeatSettings, ToHeartbeatThread } from './heartbeat-messages.ts';
import { lastSeenMs, takeLagMs } from './loop-lag.ts';

/**
 * The thread that beats. It has a connection of its own, so that neither a busy main loop nor a long poll delays a beat (the failure
 * rule of the coordinator knows nothing but beats), and it watches the main loop.
 */

const OUTDATED =
  'this coordinator has an older epoch than this worker has seen, and is not believed: it was replaced, or its store was restored from an old copy. If no other answers, start it from the newest copy of its state directory and, where its ledger is on Redis, of the data of that server, or begin the run again with --fresh';

const settings = workerData as HeartbeatSettings;
const port = mustGet(parentPort, 'the port to the main thread');
const clock = systemClock;
const log = createLog('worker', settings.logLevel).child({ workerId: settings.workerId, thread: 'heartbeat' });
const credentials = clientCredentials(settings.tls, settings.runId, log);
const link = createLink({
  dial: (address) => createWorkerClient({ address, credentials, clock, transport: settings.transport, carries: 'beats' }),
  isHostUnknown,
  addresses: settings.coordinators,
  clock,
  random: systemRandom,
  log,
});

let outdated: LogThrottle = NEW_LOG_THROTTLE;
let registeredAt: string | null = null;
let heldMs = settings.heartbeatIntervalMs;
let watched: Watched = { lastSeenMs: 0, atMs: clock.monotonicMs(), stuckMs: 0 };

const beatSender = new BeatSender({
  settings,
  link,
  clock,
  loopLagMs: () => takeLagMs(settings.lag, clock.monotonicMs()),
  onAnswered: (beat) => {
    logRegistration(link.address());
    logTiming(beat.timing);
    port.postMessage({ kind: 'beat', ...beat } satisfies FromHeartbeatThread);
  },
  onOutdated: logOutdated,
  onFailure: rise,
});
const watching = clock.every(settings.heartbeatIntervalMs, watch);
port.on('message', (message: ToHeartbeatThread) => onMessage(message));

/** A coordinator that was replaced a moment ago answers once or twice; one that goes on answering has an old store, which is logged (L41). */
function logOutdated(epoch: Epoch, highestEpoch: Epoch): void {
  const address = link.address();
  const { throttle, isDue, unlogged } = onReason(outdated, clock.monotonicMs(), `${address} ${epoch}`);
  outdated = throttle;
  if (isDue) log.warn({ address, epoch, highestEpoch, unlogged }, OUTDATED);
}

function onMessage(message: ToHeartbeatThread): void {
  switch (message.kind) {
    case 'say':
      return beatSender.say(message.state, message.detail);
    case 'epoch':
      return beatSender.tellEpoch(message.epoch);
    case 'coordinators':
      return link.replaceAddresses(message.addresses);
    case 'stop':
      stop().catch(rise);
      return;
    default:
      assertNever(message);
  }
}

/** Nobody else would ever find out: the coordinator hears beats, and the items of a loop that hangs would be held for ever. */
function watch(): void {
  const { heartbeatIntervalMs, maxLoopBlockMs } = settings;
  watched = onSample(watched, clock.monotonicMs(), lastSeenMs(settings.lag), heartbeatIntervalMs);
  if (beatSender.isStopped || !isHung(watched, maxLoopBlockMs)) return;
  log.fatal({ maxLoopBlockMs }, 'the main loop has hung for maxLoopBlock: this process ends, and its items run elsewhere');
  killSelf();
}

/** A beat that is answered has registered the worker there. */
function logRegistration(address: string | null): void {
  if (address === registeredAt) return;
  registeredAt = address;
  log.info({ address }, 'registered with the coordinator');
}

/** Told by the coordinator; logged if this worker's settings differ, since they then have no effect: with many workers it is longer. */
function logTiming(timing: ToldTiming | undefined): void {
  const toldMs = timing?.heartbeatIntervalMs ?? heldMs;
  if (toldMs === heldMs) return;
  heldMs = toldMs;
  const { heartbeatIntervalMs: ownMs } = settings;
  log.info(
    { ownMs, coordinatorMs: toldMs },
    'the coordinator tells another heartbeatInterval than this worker has: the one of the coordinator holds',
  );
}

async function stop(): Promise<void> {
  watching.stop();
  await beatSender.stop();
  link.close();
  port.close();
}

/** A failure of this thread is one of the process: the main thread hears it as the thread's error. */
function rise(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

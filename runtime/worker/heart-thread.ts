import { parentPort, workerData } from 'node:worker_threads';
import { never, present } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { killSelf } from '../base/kill-self.ts';
import { createLog } from '../base/log.ts';
import { systemRandom } from '../base/random.ts';
import type { WorkerState } from '../model/session.ts';
import { createWorkerClient } from '../rpc/client.ts';
import { clientCredentials } from '../rpc/tls.ts';
import { isHung, onGlance, type Watched } from './hang.ts';
import type { FromHeart, HeartSettings, ToHeart } from './heart-messages.ts';
import { createLink } from './link.ts';
import { lastSeenMs, takeLagMs } from './loop-lag.ts';

/**
 * The thread that beats. It has a connection of its own, so that neither a busy main loop nor a long poll delays a beat (the failure
 * rule of the coordinator knows nothing but beats). It decides nothing: every answer goes to the main thread.
 */

const settings = workerData as HeartSettings;
const port = present(parentPort, 'the port to the main thread');
const clock = systemClock;
const log = createLog('worker', settings.logLevel).child({ workerId: settings.workerId, thread: 'heart' });
const credentials = clientCredentials(settings.tls, settings.runId, log);
const link = createLink({
  dial: (address) => createWorkerClient({ address, credentials, clock }),
  addresses: settings.coordinators,
  clock,
  random: systemRandom,
  log,
});

const underWay = new Set<Promise<void>>();
let state: WorkerState = 'init';
let detail = '';
let highestEpoch = settings.highestEpoch;
let registeredAt: string | null = null;
let isMoving = false;
let isStopped = false;
let watched: Watched = { lastSeenMs: 0, atMs: clock.monotonicMs(), stuckMs: 0 };

const timer = clock.every(settings.heartbeatIntervalMs, beat);
port.on('message', (message: ToHeart) => onMessage(message));
beat();

function onMessage(message: ToHeart): void {
  switch (message.kind) {
    case 'say':
      state = message.state;
      detail = message.detail;
      beat();
      return;
    case 'epoch':
      highestEpoch = Math.max(highestEpoch, message.epoch);
      return;
    case 'coordinators':
      link.replaceAddresses(message.addresses);
      return;
    case 'stop':
      own(stop());
      return;
    default:
      never(message);
  }
}

/** Beats do not wait for one another: one that hangs ends by its deadline, and only then is another coordinator looked for. */
function beat(): void {
  watch();
  if (isStopped || isMoving) return;
  const one = beatOnce();
  underWay.add(one);
  own(one.finally(() => underWay.delete(one)));
}

/** Nobody else would ever find out: the coordinator hears beats, and the items of a loop that hangs would be held for ever. */
function watch(): void {
  const { heartbeatIntervalMs, maxLoopBlockMs } = settings;
  watched = onGlance(watched, lastSeenMs(settings.lag), clock.monotonicMs(), heartbeatIntervalMs);
  if (isStopped || !isHung(watched, maxLoopBlockMs)) return;
  log.fatal({ maxLoopBlockMs }, 'the main loop has hung for maxLoopBlock: this process ends, and its items run elsewhere');
  killSelf();
}

async function beatOnce(): Promise<void> {
  const { workerId, bootNonce, concurrency, pid, node } = settings;
  const loopLagMs = takeLagMs(settings.lag, clock.monotonicMs());
  const deadlineMs = settings.heartbeatIntervalMs * 4;
  const called = await link.call((client) =>
    client.beat({ workerId, bootNonce, state, concurrency, pid, loopLagMs, highestEpoch, detail, node }, deadlineMs),
  );
  if (called.kind === 'left') return;
  if (called.kind === 'failed' || called.reply.epoch < highestEpoch) return moveOn();
  highestEpoch = called.reply.epoch;
  logRegistration(link.address());
  port.postMessage({ kind: 'beat', ...called.reply, receivedMs: clock.monotonicMs() } satisfies FromHeart);
}

/** A beat that is answered has registered the worker there. */
function logRegistration(address: string | null): void {
  if (address === registeredAt) return;
  registeredAt = address;
  log.info({ address }, 'registered with the coordinator');
}

function moveOn(): void {
  if (isMoving || isStopped) return;
  isMoving = true;
  own(
    link.move().then(() => {
      isMoving = false;
      beat();
    }),
  );
}

async function stop(): Promise<void> {
  isStopped = true;
  timer.stop();
  await Promise.allSettled(underWay);
  link.close();
  port.close();
}

/** A failure of this thread is one of the process: the main thread hears it as the thread's error. */
function own(promise: Promise<void>): void {
  promise.catch((error: unknown) => {
    queueMicrotask(() => {
      throw error;
    });
  });
}

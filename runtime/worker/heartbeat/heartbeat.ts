import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { siblingModule } from '../../base/process/module-path.ts';
import type { Epoch } from '../../model/row.ts';
import type { WorkerState } from '../../model/session.ts';
import type { FromHeartbeatThread, HeartbeatSettings, ToHeartbeatThread } from './heartbeat-messages.ts';
import { markLag, newLag } from './loop-lag.ts';

export interface Heartbeat {
  /** `detail`: why the worker takes no items; empty where it takes them. */
  say(state: WorkerState, detail: string): void;
  tellEpoch(epoch: Epoch): void;
  replaceAddresses(addresses: readonly string[]): void;
  /** Resolves when no beat is under way any more. */
  stop(): Promise<void>;
}

export interface HeartbeatListener {
  onBeat(beat: Omit<FromHeartbeatThread, 'kind'>): void;
  /** The thread has failed: without beats this process counts as dead soon, so it must end. */
  onFailure(cause: unknown): void;
}

/** Starts the thread that beats; the first beat is sent at once and registers the worker. */
export function startHeartbeat(settings: Omit<HeartbeatSettings, 'lag'>, clock: Clock, listener: HeartbeatListener): Heartbeat {
  const lag = newLag();
  const marks = markLag(lag, clock);
  const thread = new Worker(siblingModule(import.meta.url, 'heartbeat-thread'), {
    workerData: { ...settings, lag } satisfies HeartbeatSettings,
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  thread.on('message', (beat: FromHeartbeatThread) => listener.onBeat(beat));
  thread.on('error', (error) => listener.onFailure(error instanceof Error ? error : new Error(String(error))));
  const tell = (message: ToHeartbeatThread): void => thread.postMessage(message);
  return {
    say: (state, detail) => tell({ kind: 'say', state, detail }),
    tellEpoch: (epoch) => tell({ kind: 'epoch', epoch }),
    replaceAddresses: (addresses) => tell({ kind: 'coordinators', addresses }),
    stop: async () => {
      marks.stop();
      tell({ kind: 'stop' });
      await ended;
    },
  };
}

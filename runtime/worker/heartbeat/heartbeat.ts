import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { siblingModule } from '../../base/process/module-path.ts';
import type { Epoch } from '../../model/row.ts';
import type { WorkerState } from '../../model/session.ts';
import type { FromHeart, HeartSettings, ToHeart } from './heart-messages.ts';
import { markLag, newLag } from './loop-lag.ts';

export interface Heartbeat {
  /** `detail`: why the worker takes no items; empty where it takes them. */
  say(state: WorkerState, detail: string): void;
  tellEpoch(epoch: Epoch): void;
  replaceAddresses(addresses: readonly string[]): void;
  /** Resolves when no beat is under way any more. */
  stop(): Promise<void>;
}

export interface HeartListener {
  onBeat(beat: Omit<FromHeart, 'kind'>): void;
  /** The thread has failed: without beats this process counts as dead soon, so it must end. */
  onFailure(error: Error): void;
}

/** Starts the thread that beats; the first beat is sent at once and registers the worker. */
export function startHeartbeat(settings: Omit<HeartSettings, 'lag'>, clock: Clock, listener: HeartListener): Heartbeat {
  const lag = newLag();
  const marks = markLag(lag, clock);
  const thread = new Worker(siblingModule(import.meta.url, 'heart-thread'), { workerData: { ...settings, lag } satisfies HeartSettings });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  thread.on('message', (beat: FromHeart) => listener.onBeat(beat));
  thread.on('error', (error) => listener.onFailure(error instanceof Error ? error : new Error(String(error))));
  const tell = (message: ToHeart): void => thread.postMessage(message);
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

import type { LogLevel } from '../../base/log.ts';
import type { Epoch, WorkerId } from '../../model/row.ts';
import type { Transport, WorkerState } from '../../model/session.ts';
import type { ToldTiming } from '../../model/timing.ts';
import type { TlsFiles } from '../../tls/ca.ts';

/** What the main thread and the thread that beats say to one another. */

export interface HeartbeatSettings {
  readonly workerId: WorkerId;
  readonly bootNonce: string;
  readonly runId: string;
  readonly tls: TlsFiles;
  readonly coordinators: readonly string[];
  readonly concurrency: number;
  readonly pid: number;
  readonly node: string;
  readonly heartbeatIntervalMs: number;
  /** Beats go over a stream, or are calls. */
  readonly transport: Transport;
  /** A main loop that hangs for so long ends the process. */
  readonly maxLoopBlockMs: number;
  readonly highestEpoch: Epoch;
  readonly logLevel: LogLevel;
  /** See `loop-lag.ts`. */
  readonly lag: SharedArrayBuffer;
}

export type ToHeartbeatThread =
  /** Said in a beat at once. */
  | { readonly kind: 'say'; readonly state: WorkerState; readonly detail: string }
  | { readonly kind: 'epoch'; readonly epoch: Epoch }
  | { readonly kind: 'coordinators'; readonly addresses: readonly string[] }
  /** Let the beats under way end, say no more, and end. */
  | { readonly kind: 'stop' };

export type FromHeartbeatThread = {
  readonly kind: 'beat';
  readonly epoch: Epoch;
  readonly isSuperseded: boolean;
  /** The times of the coordinator; absent where it does not say. */
  readonly timing?: ToldTiming;
  /** On the clock that all threads share; the main thread may read it much later. */
  readonly receivedMs: number;
};

import type { Clock } from '../../runtime/base/clock.ts';
import type { SimProcess } from './sim-process.ts';

/** A silent peer is noticed by the pings of the connection: of one that carries calls, and of one that carries a stream (rpc/options.ts). */
export const KEEPALIVE_MS = 2_000;
export const STREAM_KEEPALIVE_MS = 5_000;
/** How late a message may come. */
export const LATEST_MS = 2_500;

/** A way between one worker and one address, and what is the matter with it. */
export interface LinkState {
  requestsCutUntilMs: number;
  repliesCutUntilMs: number;
  refusedUntilMs: number;
}

/** Who calls: the main loop or the thread that beats, each through a connection of its own. */
export interface Caller {
  readonly worker: string;
  readonly process: SimProcess;
  /** Of the thread that calls. */
  readonly clock: Clock;
  readonly whenOn: (run: () => void) => void;
  readonly onReply: (reply: { readonly epoch: number }) => void;
}

import type { DrainOrder, DrainReply, HintReply, HintWord } from '../model/drain.ts';
import type { Epoch } from '../model/row.ts';
import type { Beat, BeatReply, Deregistration, Poll, PollReply } from '../model/session.ts';
import type { RunStatus } from '../model/status.ts';

/**
 * What the server asks of a coordinator that holds the lease. The messages are checked (mapping.ts) and come from the worker
 * that they name (access.ts). A core that rejects with RolloutError FENCED makes the server answer `fenced` and nothing else (L5);
 * any other rejection is a bug or "unknown", and the caller is told to try again.
 */
export interface CoordinatorCore {
  beat(beat: Beat): Promise<BeatReply>;
  /** `signal` aborts when nobody waits for the answer any more. */
  poll(poll: Poll, signal: AbortSignal): Promise<PollReply>;
  deregister(deregistration: Deregistration): Promise<{ readonly epoch: Epoch }>;
  status(): RunStatus;
  drain(order: DrainOrder): DrainReply;
  hint(word: HintWord): HintReply;
}

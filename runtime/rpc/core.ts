import type { DrainOrder, DrainReply, HintReply, HintWord } from '../model/drain.ts';
import type { Epoch, WorkerId } from '../model/row.ts';
import type { Beat, BeatReply, Deregistration, Poll, PollReply } from '../model/session.ts';
import type { RunStatus } from '../model/status.ts';

/**
 * What the server asks of a coordinator that holds the lease. The messages are checked (mapping.ts) and come from the worker
 * that they name (access.ts). A core that rejects with RolloutError FENCED makes the server answer `fenced` and nothing else (L5);
 * any other rejection is a bug or "unknown", and the caller is told to try again.
 */
export interface CoordinatorCore {
  beat(beat: Beat): Promise<BeatReply>;
  /** The beats of this worker on one stream; each that asks is answered once, in their order. */
  beats(worker: WorkerId, writer: StreamWriter<BeatReply>): StreamReceiver<Beat>;
  /** `signal` aborts when nobody waits for the answer any more. */
  poll(poll: Poll, signal: AbortSignal): Promise<PollReply>;
  /** One stream of this worker, whose every message names it. What is to be said goes to `writer`. */
  session(worker: WorkerId, writer: SessionWriter): SessionReceiver;
  deregister(deregistration: Deregistration): Promise<{ readonly epoch: Epoch }>;
  status(): RunStatus;
  drain(order: DrainOrder): DrainReply;
  hint(word: HintWord): HintReply;
}

/** Where the core speaks into a stream. After its end nothing arrives any more; nothing here throws. */
export interface StreamWriter<Reply> {
  /** `onWritten`: it has left, as far as the peer's reading allows. Not called where the stream ends before. */
  send(reply: Reply, onWritten: () => void): void;
  /** What was said before still arrives. */
  end(): void;
  /** Ends it with what this failure means to the peer. */
  fail(cause: Error): void;
}

/** Where the core hears of a stream. */
export interface StreamReceiver<Message> {
  onMessage(message: Message): void;
  /** Nobody listens any more; the last call. */
  gone(): void;
}

export type SessionWriter = StreamWriter<PollReply>;
export type SessionReceiver = StreamReceiver<Poll>;

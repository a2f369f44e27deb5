import { create } from '@bufbuild/protobuf';
import type { Client } from '@grpc/grpc-js';
import type { Poll, PollReply } from '../model/session.ts';
import { openStream } from './client-stream.ts';
import { SessionRequestSchema, type SessionResponse, WorkerService } from './gen/rollout/v1/worker_pb.ts';
import type { Checked } from './mapping/field-check.ts';
import { pollReplyFromWire, pollToWire } from './mapping/mapping.ts';
import type { Unanswered } from './status.ts';

/** One session with a coordinator, over a stream. */
export interface SessionStream {
  /** `onWritten`: it has left, and the next may follow. Not called where the stream ends before. */
  say(poll: Poll, onWritten: () => void): void;
  /** Nothing is heard of it any more. */
  close(): void;
}

export interface SessionListener {
  onReply(reply: PollReply): void;
  /** The last word, unless the stream was closed on this side. */
  onEnd(why: Unanswered): void;
}

/** The coordinator has closed the stream in good order. */
export const SESSION_ENDED: Unanswered = { kind: 'unreachable', detail: 'the coordinator has ended the session' };

/** Never throws. */
export function openSession(client: Client, { onReply, onEnd }: SessionListener): SessionStream {
  const listener = { fromWire: checkedReply, onReply, onEnd };
  const { write, close } = openStream(client, WorkerService.method.session, listener, SESSION_ENDED);
  return {
    say: (poll, onWritten) => write(create(SessionRequestSchema, { message: pollToWire(poll) }), onWritten),
    close,
  };
}

function checkedReply({ message }: SessionResponse): Checked<PollReply> {
  return message === undefined ? { kind: 'invalid', field: 'message', problem: 'must be there' } : pollReplyFromWire(message);
}

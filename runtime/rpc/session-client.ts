import { create } from '@bufbuild/protobuf';
import { type Client, Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import type { Poll, PollReply } from '../model/session.ts';
import { SessionRequestSchema, type SessionResponse, WorkerService } from './gen/rollout/v1/worker_pb.ts';
import type { Checked } from './mapping/field-check.ts';
import { pollReplyFromWire, pollToWire } from './mapping/mapping.ts';
import { codecOf, pathOf } from './method.ts';
import { notUnderstood, type Unanswered, unansweredOf } from './status.ts';

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

/** Never throws. It has no deadline: who listens decides when silence has lasted too long. */
export function openSession(client: Client, listener: SessionListener): SessionStream {
  const { session } = WorkerService.method;
  const { serialize } = codecOf(session.input);
  const { deserialize } = codecOf(session.output);
  const call = client.makeBidiStreamRequest(pathOf(session), serialize, deserialize, new Metadata());
  let isOver = false;
  const close = (): void => {
    isOver = true;
    call.cancel();
  };
  const end = (why: Unanswered): void => {
    if (isOver) return;
    close();
    listener.onEnd(why);
  };
  call.on('data', (wire: SessionResponse) => {
    if (isOver) return;
    const checked = checkedReply(wire);
    if (checked.kind === 'ok') listener.onReply(checked.value);
    else end(notUnderstood(checked));
  });
  call.on('error', ({ code, details, metadata }: ServiceError) =>
    end(unansweredOf(code, details, (key) => metadata.get(key)[0]?.toString())),
  );
  call.on('status', ({ code }: StatusObject) => {
    if (code === status.OK) end(SESSION_ENDED);
  });
  return {
    say: (poll, onWritten) => {
      if (isOver) return;
      call.write(create(SessionRequestSchema, { message: pollToWire(poll) }), () => {
        if (!isOver) onWritten();
      });
    },
    close,
  };
}

function checkedReply({ message }: SessionResponse): Checked<PollReply> {
  return message === undefined ? { kind: 'invalid', field: 'message', problem: 'must be there' } : pollReplyFromWire(message);
}

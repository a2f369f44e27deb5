import type { DescMessage, DescMethodBiDiStreaming, MessageShape } from '@bufbuild/protobuf';
import { type Client, Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import type { Checked } from './mapping/field-check.ts';
import { codecOf, pathOf } from './method.ts';
import { notUnderstood, type Unanswered, unansweredOf } from './status.ts';

/** The client's side of a stream. Nothing here throws. */
export interface ClientStream<Message> {
  /** `onWritten`: it has left, and the next may follow. Not called where the stream ends before. */
  write(message: Message, onWritten?: () => void): void;
  /** Nothing is heard of it any more. */
  close(): void;
}

export interface ClientListener<Wire, Reply> {
  fromWire(wire: Wire): Checked<Reply>;
  onReply(reply: Reply): void;
  /** The last word, unless the stream was closed on this side. */
  onEnd(why: Unanswered): void;
}

/** Has no deadline: who listens decides when silence has lasted too long. `ended`: the coordinator has closed it in good order. */
export function openStream<In extends DescMessage, Out extends DescMessage, Reply>(
  client: Client,
  method: DescMethodBiDiStreaming<In, Out>,
  listener: ClientListener<MessageShape<Out>, Reply>,
  ended: Unanswered,
): ClientStream<MessageShape<In>> {
  const { serialize } = codecOf(method.input);
  const { deserialize } = codecOf(method.output);
  const call = client.makeBidiStreamRequest(pathOf(method), serialize, deserialize, new Metadata());
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
  call.on('data', (wire: MessageShape<Out>) => {
    if (isOver) return;
    const checked = listener.fromWire(wire);
    if (checked.kind === 'ok') listener.onReply(checked.value);
    else end(notUnderstood(checked));
  });
  call.on('error', ({ code, details, metadata }: ServiceError) =>
    end(unansweredOf(code, details, (key) => metadata.get(key)[0]?.toString())),
  );
  call.on('status', ({ code }: StatusObject) => {
    if (code === status.OK) end(ended);
  });
  return {
    write: (message, onWritten) => {
      if (isOver) return;
      call.write(message, () => {
        if (!isOver) onWritten?.();
      });
    },
    close,
  };
}

import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type { CoordinatorCore, StreamReceiver, StreamWriter } from './core.ts';
import type { Checked } from './mapping/field-check.ts';
import { onGone, primary, refusalOf, type Serving, wireErrorOf } from './serving.ts';
import type { Refusal } from './status.ts';

/** What every message of a stream names. */
interface Named {
  readonly workerId: string;
  readonly bootNonce: string;
}

/** What one kind of stream carries. `before`: the last message, or reply, in the same direction. */
export interface StreamKind<In, Out, Message extends Named, Reply> {
  fromWire(wire: In, before: Message | null): Checked<Message>;
  toWire(reply: Reply, before: Reply | null): Out;
  open(core: CoordinatorCore, workerId: string, writer: StreamWriter<Reply>): StreamReceiver<Message>;
}

/** Serves one stream of a worker until either side ends it, or the server stops. */
export function streamHandler<In, Out, Message extends Named, Reply>(
  serving: Serving,
  kind: StreamKind<In, Out, Message, Reply>,
): handleBidiStreamingCall<In, Out> {
  return (call) => {
    const stream = new ServedStream(serving, kind, call);
    serving.waiters
      .during(
        (gone) => onGone(call, gone),
        (signal) => stream.untilOver(signal),
      )
      .catch((error: unknown) => serving.log.error({ err: error }, 'a stream could not be ended'));
  };
}

class ServedStream<In, Out, Message extends Named, Reply> {
  readonly #serving: Serving;
  readonly #kind: StreamKind<In, Out, Message, Reply>;
  readonly #call: ServerDuplexStream<In, Out>;
  /** Who speaks is found out with the first message, and is the same in all that follow. */
  #receiver: StreamReceiver<Message> | null = null;
  #heard: Message | null = null;
  #said: Reply | null = null;
  #isOver = false;
  #resolve: () => void = () => undefined;

  constructor(serving: Serving, kind: StreamKind<In, Out, Message, Reply>, call: ServerDuplexStream<In, Out>) {
    this.#serving = serving;
    this.#kind = kind;
    this.#call = call;
    call.on('data', (wire: In) => this.#onMessage(wire));
    call.on('end', () => this.#end(null));
  }

  /** `signal` aborts when the caller is gone or the server stops. */
  async untilOver(signal: AbortSignal): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    signal.addEventListener('abort', () => this.#end(null), { once: true });
    if (signal.aborted || this.#isOver) this.#end(null);
    else await over;
  }

  #onMessage(wire: In): void {
    if (this.#isOver) return;
    try {
      const checked = this.#kind.fromWire(wire, this.#heard);
      if (checked.kind === 'invalid') return this.#end(checked);
      const refusal = this.#heard === null ? null : whyAnother(this.#heard, checked.value);
      if (refusal !== null) return this.#end(refusal);
      const receiver = this.#receiver ?? this.#open(checked.value);
      if ('kind' in receiver) return this.#end(receiver);
      this.#heard = checked.value;
      receiver.onMessage(checked.value);
    } catch (error) {
      this.#end(refusalOf(error, this.#serving.log, this.#call.getPath()));
    }
  }

  /** The certificate is read once for the whole stream: reading it costs more than a message does. */
  #open({ workerId }: Message): StreamReceiver<Message> | Refusal {
    const found = primary(this.#serving, this.#call, { service: 'worker', workerId });
    if ('kind' in found) return found;
    this.#receiver = this.#kind.open(found.core, workerId, this.#writer());
    return this.#receiver;
  }

  #writer(): StreamWriter<Reply> {
    return {
      send: (reply, onWritten) => {
        if (this.#isOver) return;
        const before = this.#said;
        this.#said = reply;
        this.#call.write(this.#kind.toWire(reply, before), () => onWritten());
      },
      end: () => this.#end(null),
      fail: (cause) => this.#end(refusalOf(cause, this.#serving.log, this.#call.getPath())),
    };
  }

  #end(refusal: Refusal | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (refusal === null) this.#call.end();
    else this.#call.emit('error', wireErrorOf(refusal));
    this.#receiver?.gone();
    this.#resolve();
  }
}

function whyAnother(before: Named, { workerId, bootNonce }: Named): Refusal | null {
  if (workerId !== before.workerId) return { kind: 'denied', detail: `this stream speaks for worker ${before.workerId} alone` };
  return bootNonce === before.bootNonce ? null : { kind: 'invalid', field: 'boot_nonce', problem: 'must be the same in a whole stream' };
}

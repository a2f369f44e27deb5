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

/** What one stream carries. It is made for each stream, since a message may say what is new since the one before it. */
export interface Carried<In, Out, Message extends Named, Reply> {
  fromWire(wire: In): Checked<Message>;
  toWire(reply: Reply): Out;
  open(core: CoordinatorCore, workerId: string, writer: StreamWriter<Reply>): StreamReceiver<Message>;
}

/** Serves one stream of a worker until either side ends it, or the server stops. */
export function streamHandler<In, Out, Message extends Named, Reply>(
  serving: Serving,
  carry: () => Carried<In, Out, Message, Reply>,
): handleBidiStreamingCall<In, Out> {
  return (call) => {
    const stream = new ServedStream(serving, carry(), call);
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
  readonly #carried: Carried<In, Out, Message, Reply>;
  readonly #call: ServerDuplexStream<In, Out>;
  /** Who speaks is found out with the first message, and is the same in all that follow. */
  #receiver: StreamReceiver<Message> | null = null;
  /** Not the message: it may hold megabytes, and the next one may be long in coming. */
  #named: Named | null = null;
  #isOver = false;
  #resolve: () => void = () => undefined;

  constructor(serving: Serving, carried: Carried<In, Out, Message, Reply>, call: ServerDuplexStream<In, Out>) {
    this.#serving = serving;
    this.#carried = carried;
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
      const checked = this.#carried.fromWire(wire);
      if (checked.kind === 'invalid') return this.#end(checked);
      const { workerId, bootNonce } = checked.value;
      const refusal = this.#named === null ? null : whyAnother(this.#named, checked.value);
      if (refusal !== null) return this.#end(refusal);
      const receiver = this.#receiver ?? this.#open(checked.value);
      if ('kind' in receiver) return this.#end(receiver);
      this.#named ??= { workerId, bootNonce };
      receiver.onMessage(checked.value);
    } catch (error) {
      this.#end(refusalOf(error, this.#serving.log, this.#call.getPath()));
    }
  }

  /** The certificate is read once for the whole stream: reading it costs more than a message does. */
  #open({ workerId }: Message): StreamReceiver<Message> | Refusal {
    const found = primary(this.#serving, this.#call, { service: 'worker', workerId });
    if ('kind' in found) return found;
    this.#receiver = this.#carried.open(found.core, workerId, this.#writer());
    return this.#receiver;
  }

  #writer(): StreamWriter<Reply> {
    return {
      send: (reply, onWritten) => {
        if (this.#isOver) return;
        this.#call.write(this.#carried.toWire(reply), () => onWritten());
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

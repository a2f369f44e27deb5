import { create } from '@bufbuild/protobuf';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type { Poll } from '../model/session.ts';
import type { SessionEar, SessionMouth } from './core.ts';
import type { Checked } from './field-check.ts';
import { type SessionRequest, type SessionResponse, SessionResponseSchema } from './gen/rollout/v1/worker_pb.ts';
import { pollFromWire, pollReplyToWire } from './mapping.ts';
import { onGone, primary, refusalOf, type Serving, wireErrorOf } from './serving.ts';
import type { Refusal } from './status.ts';

/** Serves one stream of a worker until either side ends it, or the server stops. */
export function sessionHandler(serving: Serving): handleBidiStreamingCall<SessionRequest, SessionResponse> {
  return (call) => {
    const session = new ServedSession(serving, call);
    serving.waiters
      .during(
        (gone) => onGone(call, gone),
        (signal) => session.untilOver(signal),
      )
      .catch((error: unknown) => serving.log.error({ err: error }, 'a session could not be ended'));
  };
}

type Stream = ServerDuplexStream<SessionRequest, SessionResponse>;

/** Who speaks on the stream: found out with the first message, and the same in all that follow. */
interface Speaker {
  readonly workerId: string;
  readonly bootNonce: string;
  readonly ear: SessionEar;
}

class ServedSession {
  readonly #serving: Serving;
  readonly #call: Stream;
  #speaker: Speaker | null = null;
  #isOver = false;
  #resolve: () => void = () => undefined;

  constructor(serving: Serving, call: Stream) {
    this.#serving = serving;
    this.#call = call;
    call.on('data', (wire: SessionRequest) => this.#onMessage(wire));
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

  #onMessage(wire: SessionRequest): void {
    if (this.#isOver) return;
    try {
      const checked = checkedPoll(wire);
      if (checked.kind === 'invalid') return this.#end(checked);
      const speaker = this.#speaker ?? this.#open(checked.value);
      if ('kind' in speaker) return this.#end(speaker);
      const refusal = whyAnother(speaker, checked.value);
      if (refusal !== null) return this.#end(refusal);
      speaker.ear.hear(checked.value);
    } catch (error) {
      this.#end(refusalOf(error, this.#serving.log, this.#call.getPath()));
    }
  }

  /** The certificate is read once for the whole stream: reading it costs more than a message does. */
  #open({ workerId, bootNonce }: Poll): Speaker | Refusal {
    const found = primary(this.#serving, this.#call, { service: 'worker', workerId });
    if ('kind' in found) return found;
    this.#speaker = { workerId, bootNonce, ear: found.core.session(workerId, this.#mouth()) };
    return this.#speaker;
  }

  #mouth(): SessionMouth {
    return {
      say: (reply, onWritten) => {
        if (!this.#isOver) this.#call.write(create(SessionResponseSchema, { message: pollReplyToWire(reply) }), () => onWritten());
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
    this.#speaker?.ear.gone();
    this.#resolve();
  }
}

function checkedPoll({ message }: SessionRequest): Checked<Poll> {
  return message === undefined ? { kind: 'invalid', field: 'message', problem: 'must be there' } : pollFromWire(message);
}

function whyAnother(speaker: Speaker, { workerId, bootNonce }: Poll): Refusal | null {
  if (workerId !== speaker.workerId) return { kind: 'denied', detail: `this stream speaks for worker ${speaker.workerId} alone` };
  return bootNonce === speaker.bootNonce ? null : { kind: 'invalid', field: 'boot_nonce', problem: 'must be the same in a whole stream' };
}

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Beat, BeatReply, Deregistration, Poll, PollReply } from '../../runtime/model/session.ts';
import * as wire from '../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import {
  beatsRequestFromWire,
  beatsRequestToWire,
  beatsResponseFromWire,
  beatsResponseToWire,
} from '../../runtime/rpc/mapping/beats-mapping.ts';
import type { Checked } from '../../runtime/rpc/mapping/field-check.ts';
import * as mapping from '../../runtime/rpc/mapping/mapping.ts';
import { codecOf } from '../../runtime/rpc/method.ts';
import { MAX_MESSAGE_BYTES } from '../../runtime/rpc/options.ts';

type Hold = (rule: string, condition: boolean, message: string) => void;

/**
 * Messages as they come out at the other end of the wire: mapped, encoded, decoded and checked by the code that does so between
 * processes. What one side says the other one has to understand, and no message may be too large to be sent.
 */
export class SimWire {
  readonly #hold: Hold;

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  beat(beat: Beat): Beat {
    return this.#cross(beat, wire.BeatRequestSchema, mapping.beatToWire, mapping.beatFromWire);
  }

  beatReply(reply: BeatReply): BeatReply {
    return this.#cross(reply, wire.BeatResponseSchema, mapping.beatReplyToWire, mapping.beatReplyFromWire);
  }

  /** On a stream of beats, where `before` was the one before it. */
  beatAfter(beat: Beat, before: Beat | null): Beat {
    return this.#cross(
      beat,
      wire.BeatsRequestSchema,
      (one) => beatsRequestToWire(one, before),
      (one) => beatsRequestFromWire(one, before),
    );
  }

  beatReplyAfter(reply: BeatReply, before: BeatReply | null): BeatReply {
    return this.#cross(
      reply,
      wire.BeatsResponseSchema,
      (one) => beatsResponseToWire(one, before),
      (one) => beatsResponseFromWire(one, before),
    );
  }

  poll(poll: Poll): Poll {
    return this.#cross(poll, wire.PollRequestSchema, mapping.pollToWire, mapping.pollFromWire);
  }

  pollReply(reply: PollReply): PollReply {
    return this.#cross(reply, wire.PollResponseSchema, mapping.pollReplyToWire, mapping.pollReplyFromWire);
  }

  deregistration(message: Deregistration): Deregistration {
    return this.#cross(message, wire.DeregisterRequestSchema, mapping.deregistrationToWire, mapping.deregistrationFromWire);
  }

  deregistered(reply: { readonly epoch: number }): { readonly epoch: number } {
    return this.#cross(reply, wire.DeregisterResponseSchema, mapping.deregisteredToWire, mapping.deregisteredFromWire);
  }

  #cross<Desc extends DescMessage, T>(
    message: T,
    schema: Desc,
    toWire: (message: T) => MessageShape<Desc>,
    fromWire: (message: MessageShape<Desc>) => Checked<T>,
  ): T {
    const { serialize, deserialize } = codecOf(schema);
    const bytes = serialize(toWire(message));
    this.#hold('wire', bytes.length <= MAX_MESSAGE_BYTES, `a ${schema.name} of ${bytes.length} bytes is too large to be sent`);
    const checked = fromWire(deserialize(bytes));
    if (checked.kind === 'ok') return checked.value;
    this.#hold('wire', false, `a ${schema.name} is not understood: ${checked.field} ${checked.problem}`);
    return message;
  }
}

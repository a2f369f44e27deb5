import { create } from '@bufbuild/protobuf';
import type { Beat, BeatReply, Poll, PollReply } from '../model/session.ts';
import {
  type BeatsRequest,
  type BeatsResponse,
  type SessionRequest,
  type SessionResponse,
  SessionResponseSchema,
} from './gen/rollout/v1/worker_pb.ts';
import { beatsRequestFromWire, beatsResponseToWire } from './mapping/beats-mapping.ts';
import { pollFromWire, pollReplyToWire } from './mapping/mapping.ts';
import type { Carried } from './stream-handler.ts';

/** Outcomes up, assignments down. */
export function carrySession(): Carried<SessionRequest, SessionResponse, Poll, PollReply> {
  return {
    fromWire: ({ message }) =>
      message === undefined ? { kind: 'invalid', field: 'message', problem: 'must be there' } : pollFromWire(message),
    toWire: (reply) => create(SessionResponseSchema, { message: pollReplyToWire(reply) }),
    open: (core, workerId, writer) => core.session(workerId, writer),
  };
}

/** Beats up, an answer to each down. */
export function carryBeats(): Carried<BeatsRequest, BeatsResponse, Beat, BeatReply> {
  let heard: Beat | null = null;
  let said: BeatReply | null = null;
  return {
    fromWire: (wire) => {
      const checked = beatsRequestFromWire(wire, heard);
      if (checked.kind === 'ok') heard = checked.value;
      return checked;
    },
    toWire: (reply) => {
      const wire = beatsResponseToWire(reply, said);
      said = reply;
      return wire;
    },
    open: (core, workerId, writer) => core.beats(workerId, writer),
  };
}

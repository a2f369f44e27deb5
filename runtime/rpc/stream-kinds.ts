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
import type { StreamKind } from './stream-handler.ts';

/** Outcomes up, assignments down. */
export const SESSIONS: StreamKind<SessionRequest, SessionResponse, Poll, PollReply> = {
  fromWire: ({ message }) =>
    message === undefined ? { kind: 'invalid', field: 'message', problem: 'must be there' } : pollFromWire(message),
  toWire: (reply) => create(SessionResponseSchema, { message: pollReplyToWire(reply) }),
  open: (core, workerId, writer) => core.session(workerId, writer),
};

/** Beats up, an answer to each down. */
export const BEATS: StreamKind<BeatsRequest, BeatsResponse, Beat, BeatReply> = {
  fromWire: beatsRequestFromWire,
  toWire: beatsResponseToWire,
  open: (core, workerId, writer) => core.beats(workerId, writer),
};

import { create } from '@bufbuild/protobuf';
import type { Beat, BeatReply } from '../../model/session.ts';
import { type BeatsRequest, BeatsRequestSchema, type BeatsResponse, BeatsResponseSchema } from '../gen/rollout/v1/worker_pb.ts';
import type { Checked } from './field-check.ts';
import { beatFromWire, beatReplyFromWire, beatReplyToWire, beatToWire } from './mapping.ts';
import { wholeMs } from './whole-ms.ts';

/**
 * The messages of a stream of beats. Most say what the one before them in the same direction said, `before`: such a message is nearly
 * empty, which costs neither mapping nor checks.
 */

export function beatsRequestToWire(beat: Beat, before: Beat | null): BeatsRequest {
  const isSame = before !== null && isSameBeat(before, beat);
  const asks = beat.isAsking;
  return create(BeatsRequestSchema, isSame ? { loopLagMs: wholeMs(beat.loopLagMs), asks } : { beat: beatToWire(beat), asks });
}

export function beatsRequestFromWire({ beat, loopLagMs, asks: isAsking }: BeatsRequest, before: Beat | null): Checked<Beat> {
  if (beat === undefined) return before === null ? missing('beat') : { kind: 'ok', value: { ...before, loopLagMs, isAsking } };
  const checked = beatFromWire(beat);
  return checked.kind === 'ok' ? { kind: 'ok', value: { ...checked.value, isAsking } } : checked;
}

export function beatsResponseToWire(reply: BeatReply, before: BeatReply | null): BeatsResponse {
  return create(BeatsResponseSchema, before !== null && isSameReply(before, reply) ? {} : { reply: beatReplyToWire(reply) });
}

export function beatsResponseFromWire({ reply }: BeatsResponse, before: BeatReply | null): Checked<BeatReply> {
  if (reply !== undefined) return beatReplyFromWire(reply);
  return before === null ? missing('reply') : { kind: 'ok', value: before };
}

function missing(field: string): Checked<never> {
  return { kind: 'invalid', field, problem: 'must be there' };
}

/** But for the lag of the loop, and for whether it asks. */
function isSameBeat(one: Beat, other: Beat): boolean {
  return (
    one.workerId === other.workerId &&
    one.bootNonce === other.bootNonce &&
    one.state === other.state &&
    one.concurrency === other.concurrency &&
    one.pid === other.pid &&
    one.highestEpoch === other.highestEpoch &&
    one.detail === other.detail &&
    one.node === other.node
  );
}

function isSameReply(one: BeatReply, other: BeatReply): boolean {
  return (
    one.epoch === other.epoch &&
    one.isSuperseded === other.isSuperseded &&
    one.timing?.heartbeatIntervalMs === other.timing?.heartbeatIntervalMs &&
    one.timing?.workerSelfFenceTimeoutMs === other.timing?.workerSelfFenceTimeoutMs &&
    one.timing?.pollWaitMs === other.timing?.pollWaitMs
  );
}

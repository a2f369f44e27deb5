import type { Client } from '@grpc/grpc-js';
import type { Beat, BeatReply } from '../model/session.ts';
import type { BeatsListener, BeatsStream } from './beats-client.ts';
import { openStream } from './client-stream.ts';
import { WorkerService } from './gen/rollout/v1/worker_pb.ts';
import { beatsRequestToWire, beatsResponseFromWire } from './mapping/beats-mapping.ts';
import type { Unanswered } from './status.ts';

/** The coordinator has closed the stream in good order. */
const ENDED: Unanswered = { kind: 'unreachable', detail: 'the coordinator has ended the beats' };

export function openBeats(client: Client, { onReply, onEnd }: BeatsListener): BeatsStream {
  let said: Beat | null = null;
  let heard: BeatReply | null = null;
  const listener = {
    fromWire: (wire: Parameters<typeof beatsResponseFromWire>[0]) => beatsResponseFromWire(wire, heard),
    onReply: (reply: BeatReply) => {
      heard = reply;
      onReply(reply);
    },
    onEnd,
  };
  const { write, close } = openStream(client, WorkerService.method.beats, listener, ENDED);
  return {
    say: (beat) => {
      write(beatsRequestToWire(beat, said));
      said = beat;
    },
    close,
  };
}

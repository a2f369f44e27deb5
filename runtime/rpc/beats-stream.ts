import { type Client, Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import type { Beat, BeatReply } from '../model/session.ts';
import type { BeatsListener, BeatsStream } from './beats-client.ts';
import { type BeatsResponse, WorkerService } from './gen/rollout/v1/worker_pb.ts';
import { beatsRequestToWire, beatsResponseFromWire } from './mapping/beats-mapping.ts';
import { codecOf, pathOf } from './method.ts';
import { notUnderstood, type Unanswered, unansweredOf } from './status.ts';

/** The coordinator has closed the stream in good order. */
const ENDED: Unanswered = { kind: 'unreachable', detail: 'the coordinator has ended the beats' };

/** Has no deadline: who listens decides when a beat has waited too long. */
export function openBeats(client: Client, listener: BeatsListener): BeatsStream {
  const { beats } = WorkerService.method;
  const { serialize } = codecOf(beats.input);
  const { deserialize } = codecOf(beats.output);
  const call = client.makeBidiStreamRequest(pathOf(beats), serialize, deserialize, new Metadata());
  let said: Beat | null = null;
  let heard: BeatReply | null = null;
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
  call.on('data', (wire: BeatsResponse) => {
    if (isOver) return;
    const checked = beatsResponseFromWire(wire, heard);
    if (checked.kind === 'invalid') return end(notUnderstood(checked));
    heard = checked.value;
    listener.onReply(checked.value);
  });
  call.on('error', ({ code, details, metadata }: ServiceError) =>
    end(unansweredOf(code, details, (key) => metadata.get(key)[0]?.toString())),
  );
  call.on('status', ({ code }: StatusObject) => {
    if (code === status.OK) end(ENDED);
  });
  return {
    say: (beat) => {
      if (isOver) return;
      call.write(beatsRequestToWire(beat, said));
      said = beat;
    },
    close,
  };
}

import { create, type DescMethodUnary, type MessageShape } from '@bufbuild/protobuf';
import { type ChannelCredentials, Client, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../base/clock.ts';
import type { DrainOrder, DrainReply, HintReply, HintWord } from '../model/drain.ts';
import type { Epoch } from '../model/row.ts';
import type { Beat, BeatReply, Deregistration, Poll, PollReply, Transport } from '../model/session.ts';
import type { CoordinatorInfo, RunStatus } from '../model/status.ts';
import { BeatsClient } from './beats-client.ts';
import { openBeats } from './beats-stream.ts';
import { CoordinatorService, IdentifyRequestSchema } from './gen/rollout/v1/coordinator_pb.ts';
import { RunService, StatusRequestSchema } from './gen/rollout/v1/run_pb.ts';
import { WorkerService } from './gen/rollout/v1/worker_pb.ts';
import type { Checked } from './mapping/field-check.ts';
import * as mapping from './mapping/mapping.ts';
import { drainOrderToWire, drainReplyFromWire, hintReplyFromWire, hintToWire } from './mapping/mapping-run.ts';
import { infoFromWire, statusFromWire } from './mapping/mapping-status.ts';
import { codecOf, pathOf } from './method.ts';
import { type Carries, clientOptions } from './options.ts';
import { openSession, type SessionListener, type SessionStream } from './session-client.ts';
import { notUnderstood, type Unanswered, unansweredOf } from './status.ts';

export type Answered<Reply> = { readonly kind: 'reply'; readonly reply: Reply } | Unanswered;

export interface ClientOptions {
  /** host:port of one coordinator. */
  readonly address: string;
  readonly credentials: ChannelCredentials;
  readonly clock: Clock;
}

export interface WorkerClientOptions extends ClientOptions {
  /** `poll`: every beat is a call of its own, which every proxy lets through. By default a stream. */
  readonly transport?: Transport;
  /** What goes over its streams: by default a session. */
  readonly carries?: 'session' | 'beats';
}

/** Calls never throw: what went wrong is a value. Nothing is repeated here; the caller knows what may be. */
export interface WorkerClient {
  /** Null where the beat asks for none; as a call each beat is answered. */
  beat(beat: Beat, deadlineMs: number): Promise<Answered<BeatReply | null>>;
  /** An aborted poll answers `unreachable`. */
  poll(poll: Poll, deadlineMs: number, signal?: AbortSignal): Promise<Answered<PollReply>>;
  session(listener: SessionListener): SessionStream;
  deregister(deregistration: Deregistration, deadlineMs?: number): Promise<Answered<{ readonly epoch: Epoch }>>;
  identify(deadlineMs?: number): Promise<Answered<CoordinatorInfo>>;
  close(): void;
}

export interface RunClient {
  status(deadlineMs?: number): Promise<Answered<RunStatus>>;
  drain(order: DrainOrder): Promise<Answered<DrainReply>>;
  hint(word: HintWord): Promise<Answered<HintReply>>;
  identify(deadlineMs?: number): Promise<Answered<CoordinatorInfo>>;
  close(): void;
}

/** The deadlines that the .proto files name. */
const DEREGISTER_MS = 5_000;
const STATUS_MS = 2_000;
const ORDER_MS = 2_000;
const IDENTIFY_MS = 2_000;

export function createWorkerClient({ transport = 'stream', carries = 'session', ...options }: WorkerClientOptions): WorkerClient {
  const client = dial(options, transport === 'poll' ? 'calls' : carries);
  const { beat, poll, deregister } = WorkerService.method;
  const beats = new BeatsClient((listener) => openBeats(client.client, listener), options.clock);
  return {
    beat: (message, deadlineMs) =>
      transport === 'poll'
        ? client.call(beat, mapping.beatToWire(message), mapping.beatReplyFromWire, deadlineMs)
        : beats.beat(message, deadlineMs),
    poll: (message, deadlineMs, signal) => client.call(poll, mapping.pollToWire(message), mapping.pollReplyFromWire, deadlineMs, signal),
    session: (listener) => openSession(client.client, listener),
    deregister: (message, deadlineMs = DEREGISTER_MS) =>
      client.call(deregister, mapping.deregistrationToWire(message), mapping.deregisteredFromWire, deadlineMs),
    identify: client.identify,
    close: () => {
      beats.close();
      client.close();
    },
  };
}

export function createRunClient(options: ClientOptions): RunClient {
  const client = dial(options, 'calls');
  const { status, drain, hint } = RunService.method;
  return {
    status: (deadlineMs = STATUS_MS) => client.call(status, create(StatusRequestSchema), statusFromWire, deadlineMs),
    drain: (order) => client.call(drain, drainOrderToWire(order), drainReplyFromWire, ORDER_MS),
    hint: (word) => client.call(hint, hintToWire(word), hintReplyFromWire, ORDER_MS),
    identify: client.identify,
    close: client.close,
  };
}

interface Dialled {
  readonly client: Client;
  readonly call: <I extends DescMethodUnary['input'], O extends DescMethodUnary['output'], Reply>(
    method: DescMethodUnary<I, O>,
    request: MessageShape<I>,
    fromWire: (wire: MessageShape<O>) => Checked<Reply>,
    deadlineMs: number,
    signal?: AbortSignal,
  ) => Promise<Answered<Reply>>;
  readonly identify: (deadlineMs?: number) => Promise<Answered<CoordinatorInfo>>;
  readonly close: () => void;
}

function dial({ address, credentials, clock }: ClientOptions, carries: Carries): Dialled {
  const client = new Client(address, credentials, clientOptions(carries));
  const call: Dialled['call'] = (method, request, fromWire, deadlineMs, signal) =>
    new Promise((resolve) => {
      const { serialize } = codecOf(method.input);
      const { deserialize } = codecOf(method.output);
      const deadline = clock.wallMs() + deadlineMs;
      const sent = client.makeUnaryRequest(pathOf(method), serialize, deserialize, request, new Metadata(), { deadline }, (error, wire) => {
        signal?.removeEventListener('abort', cancel);
        resolve(wire === undefined || error !== null ? unanswered(error) : understood(fromWire(wire)));
      });
      const cancel = (): void => sent.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted === true) cancel();
    });
  return {
    client,
    call,
    identify: (deadlineMs = IDENTIFY_MS) =>
      call(CoordinatorService.method.identify, create(IdentifyRequestSchema), infoFromWire, deadlineMs),
    close: () => client.close(),
  };
}

function understood<Reply>(checked: Checked<Reply>): Answered<Reply> {
  if (checked.kind === 'ok') return { kind: 'reply', reply: checked.value };
  return notUnderstood(checked);
}

function unanswered(error: ServiceError | null): Unanswered {
  if (error === null) return { kind: 'unreachable', detail: 'an answer without a message' };
  return unansweredOf(error.code, error.details, (key) => error.metadata.get(key)[0]?.toString());
}

import type { MessageShape } from '@bufbuild/protobuf';
import type { handleUnaryCall, ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from '@grpc/grpc-js';
import { whyDenied } from './access.ts';
import type { CoordinatorCore } from './core.ts';
import type { IdentifyRequest, IdentifyResponse } from './gen/rollout/v1/coordinator_pb.ts';
import type {
  DrainRequest,
  DrainResponse,
  HintRequest,
  HintResponse,
  RunService,
  StatusRequest,
  StatusResponse,
} from './gen/rollout/v1/run_pb.ts';
import type { WorkerService } from './gen/rollout/v1/worker_pb.ts';
import type { Checked } from './mapping/field-check.ts';
import * as mapping from './mapping/mapping.ts';
import { drainOrderFromWire, drainReplyToWire, hintFromWire, hintReplyToWire } from './mapping/mapping-run.ts';
import { infoToWire, statusToWire } from './mapping/mapping-status.ts';
import { callerOf, onGone, primary, refusalOf, type Serving, wireErrorOf } from './serving.ts';
import type { Refusal } from './status.ts';
import { streamHandler } from './stream-handler.ts';
import { carryBeats, carrySession } from './stream-kinds.ts';

type Answer<Response> = { readonly kind: 'reply'; readonly message: Response } | Refusal;

type WorkerMethods = (typeof WorkerService)['method'];
type In<Name extends keyof WorkerMethods> = MessageShape<WorkerMethods[Name]['input']>;
type Out<Name extends keyof WorkerMethods> = MessageShape<WorkerMethods[Name]['output']>;

/** One handler per method. Each checks the message, then the caller, then whether this coordinator is the primary. */
export function workerHandlers(serving: Serving): UntypedServiceImplementation {
  return {
    beat: unary<In<'beat'>, Out<'beat'>>(serving, (call) =>
      forWorker(serving, call, mapping.beatFromWire, async (core, beat) => mapping.beatReplyToWire(await core.beat(beat))),
    ),
    beats: streamHandler(serving, carryBeats),
    session: streamHandler(serving, carrySession),
    poll: unary<In<'poll'>, Out<'poll'>>(serving, (call) =>
      forWorker(serving, call, mapping.pollFromWire, async (core, poll) => {
        const reply = await serving.waiters.during(
          (gone) => onGone(call, gone),
          (signal) => core.poll(poll, signal),
        );
        return mapping.pollReplyToWire(reply);
      }),
    ),
    deregister: unary<In<'deregister'>, Out<'deregister'>>(serving, (call) =>
      forWorker(serving, call, mapping.deregistrationFromWire, async (core, message) =>
        mapping.deregisteredToWire(await core.deregister(message)),
      ),
    ),
  } satisfies Record<keyof WorkerMethods, unknown>;
}

export function runHandlers(serving: Serving): UntypedServiceImplementation {
  return {
    status: unary<StatusRequest, StatusResponse>(serving, async (call) => {
      const core = primary(serving, call, { service: 'run' });
      return 'kind' in core ? core : { kind: 'reply', message: statusToWire(core.core.status()) };
    }),
    drain: unary<DrainRequest, DrainResponse>(serving, (call) =>
      forClient(serving, call, drainOrderFromWire, (core, order) => drainReplyToWire(core.drain(order))),
    ),
    hint: unary<HintRequest, HintResponse>(serving, (call) =>
      forClient(serving, call, hintFromWire, (core, word) => hintReplyToWire(core.hint(word))),
    ),
  } satisfies Record<keyof (typeof RunService)['method'], unknown>;
}

async function forClient<Wire, Message, Response>(
  serving: Serving,
  call: ServerUnaryCall<Wire, Response>,
  fromWire: (wire: Wire) => Checked<Message>,
  serve: (core: CoordinatorCore, message: Message) => Response,
): Promise<Answer<Response>> {
  const checked = fromWire(call.request);
  if (checked.kind === 'invalid') return checked;
  const core = primary(serving, call, { service: 'run' });
  return 'kind' in core ? core : { kind: 'reply', message: serve(core.core, checked.value) };
}

export function coordinatorHandlers(serving: Serving): UntypedServiceImplementation {
  return {
    identify: unary<IdentifyRequest, IdentifyResponse>(serving, async (call) => {
      const detail = whyDenied(callerOf(call), serving.runId, { service: 'coordinator' });
      return detail === null ? { kind: 'reply', message: infoToWire(serving.coordinatorInfo()) } : { kind: 'denied', detail };
    }),
  };
}

async function forWorker<Wire, Message extends { readonly workerId: string }, Response>(
  serving: Serving,
  call: ServerUnaryCall<Wire, Response>,
  fromWire: (wire: Wire) => Checked<Message>,
  serve: (core: CoordinatorCore, message: Message) => Promise<Response>,
): Promise<Answer<Response>> {
  const checked = fromWire(call.request);
  if (checked.kind === 'invalid') return checked;
  const core = primary(serving, call, { service: 'worker', workerId: checked.value.workerId });
  return 'kind' in core ? core : { kind: 'reply', message: await serve(core.core, checked.value) };
}

function unary<Wire, Response>(
  serving: Serving,
  serve: (call: ServerUnaryCall<Wire, Response>) => Promise<Answer<Response>>,
): handleUnaryCall<Wire, Response> {
  return (call, callback) => {
    serve(call)
      .catch((error: unknown): Refusal => refusalOf(error, serving.log, call.getPath()))
      .then((answer) => send(answer, callback))
      .catch((error: unknown) => serving.log.error({ err: error }, 'an answer could not be sent'));
  };
}

function send<Response>(answer: Answer<Response>, callback: sendUnaryData<Response>): void {
  if (answer.kind === 'reply') {
    callback(null, answer.message);
    return;
  }
  callback(wireErrorOf(answer));
}

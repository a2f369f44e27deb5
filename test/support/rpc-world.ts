import type { ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { Beat, Outcome, Poll, PollReply, Transport } from '../../runtime/model/session.ts';
import type { CoordinatorInfo, RunStatus } from '../../runtime/model/status.ts';
import { createRunClient, createWorkerClient, type RunClient, type WorkerClient } from '../../runtime/rpc/client.ts';
import type { CoordinatorCore } from '../../runtime/rpc/core.ts';
import { type RunningServer, startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, serverCredentials } from '../../runtime/rpc/tls.ts';
import { type CertificateRequest, ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { temporaryDir } from './temporary-dir.ts';

/** A real server over mTLS on loopback, with a core that the test gives, and clients with certificates of the run. */

export const RUN_ID = '01HX0000000000000000000000';
export const OTHER_RUN = '01HX1111111111111111111111';
export const DEADLINE_MS = 5_000;

export const STATUS: RunStatus = {
  runId: RUN_ID,
  state: { kind: 'paused', reason: 'quota' },
  epoch: 3,
  items: 10,
  isIndexed: true,
  done: 4,
  failed: 1,
  running: 2,
  prefetched: 0,
  handedBack: 1,
  redone: 3,
  workers: [{ workerId: 'w-1', state: 'suspected', running: 2, concurrency: 8, sinceBeatMs: 900, detail: 'waiting' }],
  waits: [{ reason: 'http_500: CUDA error', items: 1, nextTryMs: 400 }],
  stall: { sinceMs: 190_000, why: 'no worker is connected' },
  results: null,
};
export const REPLY: PollReply = {
  status: 'ok',
  epoch: 3,
  order: 'work',
  batch: 1,
  assignments: [{ index: 7, attempt: 2, claimEpoch: 3, line: new TextEncoder().encode('{"custom_id":"a"}'), lineNumber: 8, form: 'batch' }],
  revoked: [{ index: 1, attempt: 1, claimEpoch: 2 }],
  recalled: [{ index: 3, attempt: 1, claimEpoch: 2 }],
  drainMs: 0,
  reason: '',
  acknowledged: [{ index: 2, attempt: 1, claimEpoch: 2 }],
  stale: [{ index: 3, attempt: 1, claimEpoch: 2 }],
};
export const OUTCOME: Outcome = {
  index: 2,
  attempt: 1,
  claimEpoch: 2,
  kind: 'result',
  line: new TextEncoder().encode('{"id":"x"}'),
  httpStatus: 200,
  code: '',
  isRetryable: false,
  isProbe: false,
  delayMs: 0,
};

export function beatOf(workerId: string): Beat {
  return {
    workerId,
    bootNonce: 'n',
    state: 'ready',
    concurrency: 8,
    pid: 1,
    loopLagMs: 0.4,
    highestEpoch: 0,
    detail: '',
    node: 'm-1',
    isAsking: true,
  };
}

export function pollOf(workerId: string, more: Partial<Poll> = {}): Poll {
  return {
    workerId,
    bootNonce: 'n',
    session: 1,
    poll: 1,
    highestEpoch: 0,
    hello: [{ index: 2, attempt: 1, claimEpoch: 2, state: 'finished' }],
    acknowledgedBatch: 0,
    isAwaiting: false,
    capacity: 4,
    outcomes: [OUTCOME],
    returns: [{ index: 5, attempt: 1, claimEpoch: 2, reason: 'throttled', delayMs: 250, detail: '' }],
    started: [{ index: 6, attempt: 1, claimEpoch: 2 }],
    drainSteps: [{ step: 'finishing', items: 2, remainingMs: 900, reason: 'spot' }],
    waitMs: 20_000,
    ...more,
  };
}

/** Lines arrive as views of the message that brought them (Buffers): here only their bytes are compared. */
export function withPlainLines<T>(value: T): T {
  if (value instanceof Uint8Array) return new Uint8Array(value) as T;
  if (Array.isArray(value)) return value.map(withPlainLines) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withPlainLines(each)])) as T;
}

/** A core that notes every call that reaches it. */
export function notingCore(more: Partial<CoordinatorCore> = {}): { core: CoordinatorCore; calls: unknown[] } {
  const calls: unknown[] = [];
  const core: CoordinatorCore = {
    beat: async (beat) => {
      calls.push(beat);
      return { epoch: 3, isSuperseded: false };
    },
    // As a coordinator does: the same core for both.
    beats: (_worker, writer) => ({
      onMessage: (beat) => {
        core.beat(beat).then(
          (reply) => writer.send(reply, () => undefined),
          (cause: Error) => writer.fail(cause),
        );
      },
      gone: () => undefined,
    }),
    poll: async (poll) => {
      calls.push(poll);
      return REPLY;
    },
    session: (_worker, writer) => ({
      onMessage: (poll) => {
        calls.push(poll);
        writer.send(REPLY, () => undefined);
      },
      gone: () => calls.push('gone'),
    }),
    deregister: async (message) => {
      calls.push(message);
      return { epoch: 3 };
    },
    status: () => {
      calls.push('status');
      return STATUS;
    },
    drain: (order) => {
      calls.push(order);
      return { state: 'draining', bootNonce: 'n', steps: [] };
    },
    hint: (word) => {
      calls.push(word);
      return { workers: ['w-1'] };
    },
    ...more,
  };
  return { core, calls };
}

export interface World {
  readonly dir: string;
  readonly server: RunningServer;
  readonly worker: (workerId: string, dir?: string, transport?: Transport) => Promise<WorkerClient>;
  readonly client: (dir?: string) => Promise<RunClient>;
  /** Speaks as a worker does, with whatever certificate. */
  readonly asWorker: (request: CertificateRequest) => Promise<WorkerClient>;
}

export async function inWorld(t: ExecutionContext, core: CoordinatorCore | null, run: (world: World) => Promise<void>): Promise<void> {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const info: CoordinatorInfo = { epoch: 3, role: core === null ? 'passive' : 'primary', primaryAddress: '10.0.0.9:50051' };
  const server = await startServer({
    listen: '127.0.0.1:0',
    credentials: serverCredentials(await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] }), silentLog),
    runId: RUN_ID,
    clock: systemClock,
    coordinatorInfo: () => info,
    core: () => core,
    log: silentLog,
  });
  const clients: { close(): void }[] = [];
  const dial = async <C extends { close(): void }>(
    make: (options: Parameters<typeof createWorkerClient>[0]) => C,
    request: CertificateRequest,
    from = dir,
  ): Promise<C> => {
    const credentials = clientCredentials(await issueCertificate(from, request), RUN_ID, silentLog);
    const client = make({ address: server.address, credentials, clock: systemClock });
    clients.push(client);
    return client;
  };
  try {
    await run({
      dir,
      server,
      worker: (workerId, from, transport = 'stream') =>
        dial((options) => createWorkerClient({ ...options, transport }), { role: 'worker', workerId }, from),
      client: (from) => dial(createRunClient, { role: 'client' }, from),
      asWorker: (request) => dial(createWorkerClient, request),
    });
  } finally {
    for (const client of clients) client.close();
    await server.stop(100);
  }
}

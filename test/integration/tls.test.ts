import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { writeFileAtomic } from '../../runtime/base/atomic-file.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import type { Beat, Outcome, Poll, PollReply } from '../../runtime/model/session.ts';
import type { CoordinatorInfo, RunStatus } from '../../runtime/model/status.ts';
import { type CertificateRequest, ensureDevCa, issueCertificate, readRunId } from '../../runtime/rpc/ca.ts';
import { makeCertificate, makeKeyPem } from '../../runtime/rpc/certificate.ts';
import { createRunClient, createWorkerClient, type RunClient, type WorkerClient } from '../../runtime/rpc/client.ts';
import type { CoordinatorCore } from '../../runtime/rpc/core.ts';
import { type RunningServer, startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, serverCredentials } from '../../runtime/rpc/tls.ts';

const RUN_ID = '01HX0000000000000000000000';
const OTHER_RUN = '01HX1111111111111111111111';
const DEADLINE_MS = 5_000;

const STATUS: RunStatus = {
  runId: RUN_ID,
  state: { kind: 'paused', reason: 'quota' },
  epoch: 3,
  items: 10,
  isIndexed: true,
  done: 4,
  failed: 1,
  running: 2,
  handedBack: 1,
  workers: [{ workerId: 'w-1', state: 'suspected', running: 2, concurrency: 8, sinceBeatMs: 900 }],
};
const REPLY: PollReply = {
  status: 'ok',
  epoch: 3,
  order: 'work',
  batch: 1,
  assignments: [{ index: 7, attempt: 2, claimEpoch: 3, line: new TextEncoder().encode('{"custom_id":"a"}'), lineNumber: 8, form: 'batch' }],
  revoked: [{ index: 1, attempt: 1, claimEpoch: 2 }],
  acknowledged: [{ index: 2, attempt: 1, claimEpoch: 2 }],
  stale: [{ index: 3, attempt: 1, claimEpoch: 2 }],
};
const OUTCOME: Outcome = {
  index: 2,
  attempt: 1,
  claimEpoch: 2,
  kind: 'result',
  line: new TextEncoder().encode('{"id":"x"}'),
  httpStatus: 200,
  code: '',
  isRetryable: false,
  delayMs: 0,
};

function beatOf(workerId: string): Beat {
  return { workerId, bootNonce: 'n', state: 'ready', concurrency: 8, pid: 1, loopLagMs: 0.4, highestEpoch: 0 };
}

function pollOf(workerId: string, more: Partial<Poll> = {}): Poll {
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
    returns: [{ index: 5, attempt: 1, claimEpoch: 2, reason: 'throttled', delayMs: 250 }],
    waitMs: 20_000,
    ...more,
  };
}

/** Lines arrive as views of the message that brought them (Buffers): here only their bytes are compared. */
function withPlainLines<T>(value: T): T {
  if (value instanceof Uint8Array) return new Uint8Array(value) as T;
  if (Array.isArray(value)) return value.map(withPlainLines) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withPlainLines(each)])) as T;
}

/** A core that notes every call that reaches it. */
function notingCore(more: Partial<CoordinatorCore> = {}): { core: CoordinatorCore; calls: unknown[] } {
  const calls: unknown[] = [];
  const core: CoordinatorCore = {
    beat: async (beat) => {
      calls.push(beat);
      return { epoch: 3, isSuperseded: false };
    },
    poll: async (poll) => {
      calls.push(poll);
      return REPLY;
    },
    deregister: async (message) => {
      calls.push(message);
      return { epoch: 3 };
    },
    status: () => {
      calls.push('status');
      return STATUS;
    },
    ...more,
  };
  return { core, calls };
}

interface World {
  readonly dir: string;
  readonly server: RunningServer;
  worker(workerId: string, dir?: string): Promise<WorkerClient>;
  client(dir?: string): Promise<RunClient>;
  asWorker(request: CertificateRequest): Promise<WorkerClient>;
}

async function inWorld(t: ExecutionContext, core: CoordinatorCore | null, run: (world: World) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-tls-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
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
  const dial = async <C extends { close(): void }>(make: (options: Parameters<typeof createWorkerClient>[0]) => C, request: CertificateRequest, from = dir): Promise<C> => {
    const credentials = clientCredentials(await issueCertificate(from, request), RUN_ID, silentLog);
    const client = make({ address: server.address, credentials, clock: systemClock });
    clients.push(client);
    return client;
  };
  try {
    await run({
      dir,
      server,
      worker: (workerId, from) => dial(createWorkerClient, { role: 'worker', workerId }, from),
      client: (from) => dial(createRunClient, { role: 'client' }, from),
      asWorker: (request) => dial(createWorkerClient, request),
    });
  } finally {
    for (const client of clients) client.close();
    await server.stop(100);
  }
}

test('a worker that speaks as itself is served, and both sides see the same messages', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const w1 = await worker('w-1');
    t.deepEqual(await w1.beat(beatOf('w-1'), DEADLINE_MS), { kind: 'reply', reply: { epoch: 3, isSuperseded: false } });
    const polled = await w1.poll(pollOf('w-1'), DEADLINE_MS);
    t.deepEqual(withPlainLines(polled), { kind: 'reply', reply: REPLY });
    t.deepEqual(await w1.deregister({ workerId: 'w-1', bootNonce: 'n', isClean: true }), { kind: 'reply', reply: { epoch: 3 } });
    t.deepEqual(await w1.identify(), { kind: 'reply', reply: { epoch: 3, role: 'primary', primaryAddress: '10.0.0.9:50051' } });
    const [beat, poll, deregistration] = calls as [Beat, Poll, unknown];
    t.deepEqual(beat, { ...beatOf('w-1'), loopLagMs: 0 });
    t.deepEqual(withPlainLines(poll), pollOf('w-1'));
    t.deepEqual(deregistration, { workerId: 'w-1', bootNonce: 'n', isClean: true });
  });
});

test("a worker's certificate cannot beat, poll or deregister for another worker, nor call what is the client's", async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker, dir, server }) => {
    const w1 = await worker('w-1');
    const answers = [
      await w1.beat(beatOf('w-2'), DEADLINE_MS),
      await w1.poll(pollOf('w-2'), DEADLINE_MS),
      await w1.deregister({ workerId: 'w-2', bootNonce: 'n', isClean: true }),
    ];
    const credentials = clientCredentials(await issueCertificate(dir, { role: 'worker', workerId: 'w-1' }), RUN_ID, silentLog);
    const asClient = createRunClient({ address: server.address, credentials, clock: systemClock });
    const status = await asClient.status();
    asClient.close();
    for (const answer of [...answers, status]) {
      t.is(answer.kind, 'refused');
      t.regex(answer.kind === 'refused' ? answer.detail : '', /^PERMISSION_DENIED: spiffe:\/\/rollout\/01HX0000000000000000000000\/worker\/w-1 /);
    }
    t.deepEqual(calls, [], 'nothing reached the coordinator');
  });
});

test("a client's and a coordinator's certificate cannot speak as a worker; a client may ask for the status", async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ client, asWorker }) => {
    t.deepEqual(await (await client()).status(), { kind: 'reply', reply: STATUS });
    for (const role of ['client', 'coordinator'] as const) {
      // The coordinator's certificate is for servers only: with it not even the handshake succeeds.
      const impostor = await asWorker(role === 'client' ? { role } : { role, hosts: [] });
      const answer = await impostor.poll(pollOf('w-1'), DEADLINE_MS);
      t.is(answer.kind, role === 'client' ? 'refused' : 'unreachable');
    }
    t.deepEqual(calls, ['status']);
  });
});

test('without a certificate, or with one of another authority, there is no answer', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker, server, dir }) => {
    const foreign = await mkdtemp(join(tmpdir(), 'rollout-foreign-'));
    t.teardown(() => rm(foreign, { recursive: true, force: true }));
    await ensureDevCa(foreign, RUN_ID);
    const stranger = await worker('w-1', foreign);
    t.is((await stranger.beat(beatOf('w-1'), DEADLINE_MS)).kind, 'unreachable');
    t.is((await stranger.identify()).kind, 'unreachable');

    // A raw TLS connection that trusts the server and shows nothing.
    const port = Number(server.address.split(':').at(-1));
    const ended = await new Promise<{ bytes: number; error: string }>((resolve) => {
      let bytes = 0;
      let error = '';
      const socket = tlsConnect({ port, host: '127.0.0.1', ca: readFileSync(join(dir, 'ca.pem')), servername: 'localhost', ALPNProtocols: ['h2'] });
      socket.on('secureConnect', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      socket.on('error', (cause) => {
        error = String(cause);
      });
      socket.on('close', () => resolve({ bytes, error }));
    });
    t.is(ended.bytes, 0);
    t.regex(ended.error, /certificate required|ECONNRESET/);

    // Plain text gets nothing either.
    const plain = await new Promise<number>((resolve) => {
      let bytes = 0;
      const socket = connect(port, '127.0.0.1', () => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(bytes));
    });
    // At most a TLS alert of seven bytes.
    t.true(plain <= 7);
    t.deepEqual(calls, []);
  });
});

test('a caller of another run, although certified by the same authority, is refused by name', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ dir, server }) => {
    const keyPem = await makeKeyPem();
    const authority = { certPem: readFileSync(join(dir, 'ca.pem'), 'utf8'), keyPem: readFileSync(join(dir, 'ca.key.pem'), 'utf8') };
    const making = { nowMs: systemClock.wallMs(), random: systemRandom };
    const files = { caPath: join(dir, 'ca.pem'), certPath: join(dir, 'other.pem'), keyPath: join(dir, 'other.key.pem') };
    await writeFileAtomic(files.keyPath, keyPem, 0o600);
    await writeFileAtomic(files.certPath, await makeCertificate(keyPem, { role: 'worker', runId: OTHER_RUN, workerId: 'w-1' }, [], authority, making));
    const client = createWorkerClient({ address: server.address, credentials: clientCredentials(files, RUN_ID, silentLog), clock: systemClock });
    const answer = await client.beat(beatOf('w-1'), DEADLINE_MS);
    client.close();
    t.is(answer.kind, 'refused');
    t.regex(answer.kind === 'refused' ? answer.detail : '', /belongs to another run/);
    t.deepEqual(calls, []);
  });
});

test('a client does not speak to a server that is no coordinator of its run', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ dir, server }) => {
    const credentials = clientCredentials(await issueCertificate(dir, { role: 'worker', workerId: 'w-1' }), OTHER_RUN, silentLog);
    const client = createWorkerClient({ address: server.address, credentials, clock: systemClock });
    const answer = await client.beat(beatOf('w-1'), DEADLINE_MS);
    client.close();
    t.is(answer.kind, 'unreachable');
    t.regex(answer.kind === 'unreachable' ? answer.detail : '', /not that of spiffe:\/\/rollout\/01HX1111111111111111111111\/coordinator/);
    t.deepEqual(calls, []);
  });
});

test('a passive coordinator answers Identify, and notLeader with the address of the primary to all else', async (t) => {
  await inWorld(t, null, async ({ worker, client }) => {
    const w1 = await worker('w-1');
    const notLeader = { kind: 'not-leader', primaryAddress: '10.0.0.9:50051' } as const;
    t.deepEqual(await w1.beat(beatOf('w-1'), DEADLINE_MS), notLeader);
    t.deepEqual(await w1.poll(pollOf('w-1'), DEADLINE_MS), notLeader);
    t.deepEqual(await w1.deregister({ workerId: 'w-1', bootNonce: 'n', isClean: false }), notLeader);
    t.deepEqual(await (await client()).status(), notLeader);
    t.deepEqual(await w1.identify(), { kind: 'reply', reply: { epoch: 3, role: 'passive', primaryAddress: '10.0.0.9:50051' } });
    t.is((await (await client()).identify()).kind, 'reply');
  });
});

test('a worker cannot learn from a passive coordinator by the name of another', async (t) => {
  await inWorld(t, null, async ({ worker }) => {
    t.is((await (await worker('w-1')).beat(beatOf('w-2'), DEADLINE_MS)).kind, 'refused');
  });
});

test('L5: a fenced coordinator tells a worker nothing but that it may look elsewhere', async (t) => {
  const fenced = async (): Promise<never> => {
    throw new RolloutError('FENCED', 'epoch 4 has taken over');
  };
  await inWorld(t, notingCore({ beat: fenced, poll: fenced }).core, async ({ worker }) => {
    const w1 = await worker('w-1');
    const answer = await w1.beat(beatOf('w-1'), DEADLINE_MS);
    t.deepEqual(answer, { kind: 'unreachable', detail: 'UNAVAILABLE: fenced: another coordinator has taken over' });
    t.is((await w1.poll(pollOf('w-1'), DEADLINE_MS)).kind, 'unreachable');
  });
});

test('a failure inside the coordinator is not told to the caller, who may try again', async (t) => {
  const failing = async (): Promise<never> => {
    throw new Error('secret path /var/lib');
  };
  await inWorld(t, notingCore({ beat: failing }).core, async ({ worker }) => {
    const answer = await (await worker('w-1')).beat(beatOf('w-1'), DEADLINE_MS);
    t.is(answer.kind, 'unreachable');
    t.false(JSON.stringify(answer).includes('/var/lib'));
  });
});

test('a message that breaks a rule is refused with the name of its field, and does not reach the coordinator', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const w1 = await worker('w-1');
    const twoLines = pollOf('w-1', { outcomes: [{ ...OUTCOME, line: new TextEncoder().encode('{}\n{}') }] });
    t.deepEqual(await w1.poll(twoLines, DEADLINE_MS), { kind: 'refused', detail: 'INVALID_ARGUMENT: line must not contain a line end (0x0A)' });
    t.deepEqual(calls, []);
  });
});

test('messages of almost 16 MiB pass both ways, larger ones are refused', async (t) => {
  const big = new Uint8Array(15 * 1024 ** 2).fill(0x61);
  const reply = { ...REPLY, assignments: [{ index: 7, attempt: 2, claimEpoch: 3, line: big, lineNumber: 8, form: 'raw' as const }] };
  const { core } = notingCore({ poll: async () => reply });
  await inWorld(t, core, async ({ worker }) => {
    const w1 = await worker('w-1');
    const answer = await w1.poll(pollOf('w-1', { outcomes: [{ ...OUTCOME, line: big }] }), DEADLINE_MS);
    t.is(answer.kind === 'reply' && answer.reply.status === 'ok' && answer.reply.assignments[0]?.line.length, big.length);
    const tooBig = pollOf('w-1', { outcomes: [{ ...OUTCOME, line: new Uint8Array(17 * 1024 ** 2).fill(0x61) }] });
    const refused = await w1.poll(tooBig, DEADLINE_MS);
    t.is(refused.kind, 'refused');
    t.regex(refused.kind === 'refused' ? refused.detail : '', /RESOURCE_EXHAUSTED/);
  });
});

test('the core learns that nobody waits any more when a poll is cancelled, times out or loses its connection, and when the server stops', async (t) => {
  let aborted = 0;
  let waiting = 0;
  const waitingCore = notingCore({
    poll: (_, signal) =>
      new Promise((resolve) => {
        waiting += 1;
        signal.addEventListener('abort', () => {
          aborted += 1;
          resolve(REPLY);
        });
      }),
  }).core;
  const until = async (isReached: () => boolean): Promise<void> => {
    for (let i = 0; i < 500 && !isReached(); i += 1) await systemClock.sleep(10);
  };
  await inWorld(t, waitingCore, async ({ worker, server }) => {
    const w1 = await worker('w-1');
    const cancel = new AbortController();
    const cancelled = w1.poll(pollOf('w-1'), DEADLINE_MS, cancel.signal);
    await until(() => waiting === 1);
    cancel.abort();
    t.is((await cancelled).kind, 'unreachable');
    await until(() => aborted === 1);
    t.is(aborted, 1);

    t.is((await w1.poll(pollOf('w-1'), 50)).kind, 'unreachable');
    await until(() => aborted === 2);
    t.is(aborted, 2);

    const lost = w1.poll(pollOf('w-1'), DEADLINE_MS);
    await until(() => waiting === 3);
    w1.close();
    const w2 = await worker('w-2');
    const stopped = w2.poll(pollOf('w-2'), DEADLINE_MS);
    await until(() => waiting === 4);
    await server.stop(1_000);
    t.is((await stopped).kind, 'reply', 'a waiting poll is answered when the server stops');
    await lost;
    t.is(aborted, 4);
  });
});

test('an already aborted poll is not waited for', async (t) => {
  await inWorld(t, notingCore().core, async ({ worker }) => {
    const answer = await (await worker('w-1')).poll(pollOf('w-1'), DEADLINE_MS, AbortSignal.abort());
    t.is(answer.kind, 'unreachable');
  });
});

test('the run that a TLS directory belongs to is read from its authority', async (t) => {
  await inWorld(t, null, async ({ dir }) => {
    t.is(await readRunId(dir), RUN_ID);
  });
});

test('a port in use is refused with what to do', async (t) => {
  await inWorld(t, null, async ({ dir, server }) => {
    const credentials = serverCredentials(await issueCertificate(dir, { role: 'coordinator', hosts: [] }), silentLog);
    const second = startServer({
      listen: server.address,
      credentials,
      runId: RUN_ID,
      clock: systemClock,
      coordinatorInfo: () => ({ epoch: 0, role: 'passive', primaryAddress: '' }),
      core: () => null,
      log: silentLog,
    });
    const error = await t.throwsAsync(second, { instanceOf: RolloutError, code: 'CONFIG_INVALID' });
    t.regex(error?.message ?? '', /another process/);
  });
});

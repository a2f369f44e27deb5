import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { createRunClient } from '../../runtime/rpc/client.ts';
import { startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, serverCredentials } from '../../runtime/rpc/tls.ts';
import { issueCertificate, readRunId } from '../../runtime/tls/ca.ts';
import { beatOf, DEADLINE_MS, inWorld, notingCore, OUTCOME, pollOf, REPLY, RUN_ID } from '../support/rpc-world.ts';
import { until as eventually, PATIENCE_MS } from '../support/until.ts';

const DRAIN = { workerId: 'w-1', bootNonce: '', deadlineMs: 60_000, reason: 'maintenance' };
const HINT = { node: 'n1', worker: null, severity: 'drain', provider: 'aws', deadlineMs: null, reason: '' } as const;

test('a passive coordinator answers Identify, and notLeader with the address of the primary to all else', async (t) => {
  await inWorld(t, null, async ({ worker, client }) => {
    const w1 = await worker('w-1');
    const notLeader = { kind: 'not-leader', primaryAddress: '10.0.0.9:50051' } as const;
    t.deepEqual(await w1.beat(beatOf('w-1'), DEADLINE_MS), notLeader);
    t.deepEqual(await w1.poll(pollOf('w-1'), DEADLINE_MS), notLeader);
    t.deepEqual(await w1.deregister({ workerId: 'w-1', bootNonce: 'n', isClean: false }), notLeader);
    t.deepEqual(await (await client()).status(), notLeader);
    t.deepEqual(await (await client()).drain(DRAIN), notLeader);
    t.deepEqual(await (await client()).hint(HINT), notLeader);
    t.deepEqual(await w1.identify(), { kind: 'reply', reply: { epoch: 3, role: 'passive', primaryAddress: '10.0.0.9:50051' } });
    t.is((await (await client()).identify()).kind, 'reply');
  });
});

test('orders to drain and hints reach the coordinator from clients, and their answers come back; workers may give none', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ client, dir, server }) => {
    const run = await client();
    t.deepEqual(await run.drain(DRAIN), { kind: 'reply', reply: { state: 'draining', bootNonce: 'n', steps: [] } });
    t.deepEqual(await run.hint(HINT), { kind: 'reply', reply: { workers: ['w-1'] } });
    t.deepEqual(calls, [DRAIN, HINT]);
    const credentials = clientCredentials(await issueCertificate(dir, { role: 'worker', workerId: 'w-1' }), RUN_ID, silentLog);
    const worker = createRunClient({ address: server.address, credentials, clock: systemClock });
    t.teardown(() => worker.close());
    t.is((await worker.drain(DRAIN)).kind, 'refused');
    t.is((await worker.hint(HINT)).kind, 'refused');
    t.is(calls.length, 2);
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
    t.deepEqual(await w1.poll(twoLines, DEADLINE_MS), {
      kind: 'refused',
      detail: 'INVALID_ARGUMENT: lines must not contain a line end (0x0A)',
    });
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
    await eventually('the call has got so far', PATIENCE_MS, isReached);
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

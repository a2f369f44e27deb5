import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { writeFileAtomic } from '../../runtime/base/fs/atomic-file.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import type { Beat, Poll } from '../../runtime/model/session.ts';
import { createRunClient, createWorkerClient } from '../../runtime/rpc/client.ts';
import { clientCredentials } from '../../runtime/rpc/tls.ts';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { makeCertificate, makeKeyPem } from '../../runtime/tls/certificate.ts';
import {
  beatOf,
  DEADLINE_MS,
  inWorld,
  notingCore,
  OTHER_RUN,
  pollOf,
  REPLY,
  RUN_ID,
  STATUS,
  withPlainLines,
} from '../support/rpc-world.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

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
      t.regex(
        answer.kind === 'refused' ? answer.detail : '',
        /^PERMISSION_DENIED: spiffe:\/\/rollout\/01HX0000000000000000000000\/worker\/w-1 /,
      );
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
    const foreign = temporaryDir(t);
    await ensureDevCa(foreign, RUN_ID);
    const stranger = await worker('w-1', foreign);
    t.is((await stranger.beat(beatOf('w-1'), DEADLINE_MS)).kind, 'unreachable');
    t.is((await stranger.identify()).kind, 'unreachable');

    // A raw TLS connection that trusts the server and shows nothing.
    const port = Number(server.address.split(':').at(-1));
    const ended = await new Promise<{ bytes: number; error: string }>((resolve) => {
      let bytes = 0;
      let error = '';
      const socket = tlsConnect({
        port,
        host: '127.0.0.1',
        ca: readFileSync(join(dir, 'ca.pem')),
        servername: 'localhost',
        ALPNProtocols: ['h2'],
      });
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
    await writeFileAtomic(
      files.certPath,
      await makeCertificate(keyPem, { role: 'worker', runId: OTHER_RUN, workerId: 'w-1' }, [], authority, making),
    );
    const client = createWorkerClient({
      address: server.address,
      credentials: clientCredentials(files, RUN_ID, silentLog),
      clock: systemClock,
    });
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

test('a worker cannot learn from a passive coordinator by the name of another', async (t) => {
  await inWorld(t, null, async ({ worker }) => {
    t.is((await (await worker('w-1')).beat(beatOf('w-2'), DEADLINE_MS)).kind, 'refused');
  });
});

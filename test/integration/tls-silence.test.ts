import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { createWorkerClient } from '../../runtime/rpc/client.ts';
import { startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, serverCredentials } from '../../runtime/rpc/tls.ts';
import { issueCertificate } from '../../runtime/tls/ca.ts';
import { inWorld, notingCore, pollOf, RUN_ID } from '../support/rpc-world.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** The server pings every ten seconds and waits five for the answer; room for a busy machine. The deadline of the call is far away. */
const NOTICED_MS = 20_000;
const FAR_MS = 60_000;

test('a peer that falls silent without closing is noticed on both sides long before the deadline', async (t) => {
  let isGone = false;
  let isWaiting = false;
  const { core } = notingCore({
    poll: (_, signal) =>
      new Promise((_resolve, reject) => {
        isWaiting = true;
        signal.addEventListener('abort', () => {
          isGone = true;
          reject(new Error('nobody waits'));
        });
      }),
  });
  await inWorld(t, core, async ({ dir, server }) => {
    const proxy = await tcpProxy(t, Number(server.address.split(':').at(-1)));
    const credentials = clientCredentials(await issueCertificate(dir, { role: 'worker', workerId: 'w-1' }), RUN_ID, silentLog);
    const client = createWorkerClient({ address: `127.0.0.1:${proxy.port}`, credentials, clock: systemClock });
    const answer = client.poll(pollOf('w-1'), FAR_MS);
    await until('the poll waits in the core', NOTICED_MS, () => isWaiting);
    const mutedMs = systemClock.monotonicMs();
    proxy.hole('up', 'down');
    t.is((await answer).kind, 'unreachable');
    t.true(systemClock.monotonicMs() - mutedMs < NOTICED_MS);
    await until('the server notices as well', NOTICED_MS, () => isGone);
    client.close();
    t.pass();
  });
});

test('after an outage a coordinator at the same address is reached again within seconds, by the same client', async (t) => {
  await inWorld(t, notingCore().core, async ({ dir, server }) => {
    const files = await issueCertificate(dir, { role: 'worker', workerId: 'w-1' });
    const client = createWorkerClient({
      address: server.address,
      credentials: clientCredentials(files, RUN_ID, silentLog),
      clock: systemClock,
    });
    t.is((await client.identify()).kind, 'reply');
    await server.stop(0);
    // Long enough for a back-off that doubles without a cap to pass ten seconds.
    const untilMs = systemClock.monotonicMs() + 5_000;
    while (systemClock.monotonicMs() < untilMs) {
      t.is((await client.identify()).kind, 'unreachable');
      await systemClock.sleep(100);
    }
    const successor = await startServer({
      listen: server.address,
      credentials: serverCredentials(await issueCertificate(dir, { role: 'coordinator', hosts: [] }), silentLog),
      runId: RUN_ID,
      clock: systemClock,
      coordinatorInfo: () => ({ epoch: 4, role: 'primary', primaryAddress: server.address }),
      core: () => null,
      log: silentLog,
    });
    const reply = await until('the successor answers', NOTICED_MS, async () => {
      const answer = await client.identify();
      return answer.kind === 'reply' && answer.reply;
    });
    t.is(reply.epoch, 4);
    client.close();
    await successor.stop(0);
  });
});

test('a peer that connects and never shakes hands does not keep a server from stopping', async (t) => {
  await inWorld(t, notingCore().core, async ({ server }) => {
    const [host = '', port = ''] = server.address.split(':');
    const socket = connect(Number(port), host);
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    const startedMs = systemClock.monotonicMs();
    await server.stop(0);
    t.true(systemClock.monotonicMs() - startedMs < NOTICED_MS);
  });
});

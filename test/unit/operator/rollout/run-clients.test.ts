import test, { type ExecutionContext } from 'ava';
import { SECRET } from '../../../../operator/kube/kind.ts';
import { ensureCertificates } from '../../../../operator/rollout/certificates.ts';
import { nodeWords } from '../../../../operator/rollout/node-words.ts';
import { RunClients, type RunTarget } from '../../../../operator/rollout/run-clients.ts';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';
import { clientPem } from '../../../../operator/rollout/tls-secret.ts';
import type { Word } from '../../../../operator/rollout/told-words.ts';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { systemRandom } from '../../../../runtime/base/random.ts';
import type { Severity } from '../../../../runtime/model/hint.ts';
import type { CoordinatorCore } from '../../../../runtime/rpc/core.ts';
import { type RunningServer, startServer } from '../../../../runtime/rpc/server.ts';
import { serverCredentials } from '../../../../runtime/rpc/tls.ts';
import { issueCertificate } from '../../../../runtime/tls/ca.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { mounted, secretIn, secretsOf } from '../../../support/operator/run-secrets.ts';
import { NOW, runOf, workerOf } from '../../../support/operator/run-world.ts';
import { notingCore, STATUS } from '../../../support/rpc-world.ts';
import { tcpProxy } from '../../../support/tcp-proxy.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

const RUN = runOf();
const RUN_ID = runIdOf(RUN.metadata.uid);

/** A run with its certificates, whose coordinators are real servers. */
interface Stage {
  readonly clients: RunClients;
  /** For coordinators that were silent: how long each was to be, and whether it is over at once. Otherwise it is longer than any test. */
  readonly waits: {
    isEnded: boolean;
    readonly ms: number[];
    /** How far the clock of the wall has gone on. */
    laterMs: number;
  };
  /** `core`: null for a coordinator that only waits for the lease. */
  readonly serve: (core: CoordinatorCore | null) => Promise<RunningServer>;
  readonly targetOf: (...pods: readonly (readonly [name: string, server: RunningServer])[]) => RunTarget;
  readonly renew: () => Promise<void>;
}

async function stage(t: ExecutionContext): Promise<Stage> {
  const cluster = new MemoryCluster();
  const waits = { isEnded: false, ms: [] as number[], laterMs: 0 };
  const sleep = async (ms: number): Promise<void> => {
    waits.ms.push(ms);
    await (waits.isEnded ? undefined : new Promise<never>(() => undefined));
  };
  const clients = new RunClients({ ...systemClock, sleep, wallMs: () => systemClock.wallMs() + waits.laterMs });
  t.teardown(() => clients.close());
  const ensure = async (): Promise<void> =>
    ensureCertificates({ client: cluster, random: systemRandom }, RUN, secretsOf(cluster), systemClock.wallMs());
  await ensure();
  return {
    clients,
    waits,
    serve: async (core) => {
      const files = await issueCertificate(mounted(t, cluster, 'coordinator'), { role: 'coordinator', hosts: [] });
      const server = await startServer({
        listen: '127.0.0.1:0',
        credentials: serverCredentials(files, silentLog),
        runId: RUN_ID,
        clock: systemClock,
        coordinatorInfo: () => ({ epoch: 3, role: core === null ? 'passive' : 'primary', primaryAddress: '' }),
        core: () => core,
        log: silentLog,
      });
      t.teardown(() => server.stop(100));
      return server;
    },
    targetOf: (...pods) => {
      const pem = clientPem(secretIn(cluster, 'answers-client-tls'));
      if (pem === null) throw new Error('no certificate');
      const { uid } = RUN.metadata;
      return { uid, runId: RUN_ID, pem, pods: pods.map(([name, { address }]) => ({ name, address })) };
    },
    renew: async () => {
      await cluster.delete(SECRET, { namespace: 'team', name: 'answers-client-tls' }, {});
      await ensure();
    },
  };
}

function wordsFor(severity: Severity | null): readonly Word[] {
  const signals = severity === null ? [] : [['node0', { severity, provider: null, deadlineMs: null, reason: 'x' }] as const];
  return nodeWords([workerOf(0)], new Map(signals), NOW);
}

test('the one that has the lease answers, whichever of the pods it is', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const [passive, primary] = [await serve(null), await serve(notingCore().core)];
  t.is(await clients.ask(targetOf(['c1', passive])), null);
  const answer = await clients.ask(targetOf(['c1', passive], ['c2', primary]));
  t.like(answer, { pod: 'c2', address: primary.address, perSecond: null });
  t.deepEqual(answer?.status, STATUS);
});

test('the last answer stands while nobody answers, and another pod is found when it takes over', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const first = await serve(notingCore().core);
  const before = await clients.ask(targetOf(['c1', first]));
  await first.stop(0);
  t.is(await clients.ask(targetOf(['c1', first])), before);
  const second = await serve(notingCore({ status: () => ({ ...STATUS, epoch: 4 }) }).core);
  t.like(await clients.ask(targetOf(['c1', first], ['c2', second])), { pod: 'c2', status: { epoch: 4 } });
});

test('no look waits long for a coordinator that was silent at the one before, nobody tells it anything, and it is heard again when it is back', async (t) => {
  const { clients, waits, serve, targetOf } = await stage(t);
  const server = await serve(notingCore().core);
  const proxy = await tcpProxy(t, Number(server.address.split(':').at(-1)));
  const target = targetOf(['c1', { ...server, address: `127.0.0.1:${proxy.port}` }]);
  const before = await clients.ask(target);
  proxy.slow(60_000);
  t.is(await clients.ask(target), before);
  t.deepEqual(waits.ms, [], 'it is waited for as long as a call may take');
  waits.isEnded = true;
  t.is(await clients.ask(target), before);
  t.deepEqual(waits.ms, [200]);
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', null, 'x'), { kind: 'silent' });
  waits.laterMs = 10_001;
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', null, 'x'), { kind: 'unanswered', detail: 'the coordinator does not answer' });
  waits.laterMs = 0;
  proxy.slow(0);
  proxy.cut();
  await until('it answers again', PATIENCE_MS, async () => (await clients.ask(target)) !== before);
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', null, 'x'), { kind: 'done' });
});

test('one that does not know yet that it has been deposed is not heard beside its successor', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const former = await serve(notingCore().core);
  const successor = await serve(notingCore({ status: () => ({ ...STATUS, epoch: 4 }) }).core);
  await clients.ask(targetOf(['c2', successor]));
  for (let look = 0; look < 3; look += 1) t.is((await clients.ask(targetOf(['c2', successor], ['c1', former])))?.pod, 'c2');
  t.is((await clients.ask(targetOf(['c1', former])))?.status.epoch, 3, 'the other pod is gone');
});

test('a drain reaches the one that has the lease, and nobody where none is known', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const { core, calls } = notingCore();
  const server = await serve(core);
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', null, 'x'), { kind: 'unanswered', detail: 'no coordinator is known' });
  await clients.ask(targetOf(['c1', server]));
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', 5_000, 'it is not wanted'), { kind: 'done' });
  t.deepEqual(calls.at(-1), { workerId: 'w-1', bootNonce: '', deadlineMs: 5_000, reason: 'it is not wanted' });
  await server.stop(0);
  t.is((await clients.drain(RUN.metadata.uid, 'w-1', null, 'x')).kind, 'unanswered');
});

test('a node’s word is told once, told again when it changes, and withdrawn when nothing is said any more', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const heard: string[] = [];
  const core = notingCore({
    hint: ({ node, severity }) => {
      heard.push(`${node} ${severity}`);
      return { workers: [] };
    },
  });
  await clients.ask(targetOf(['c1', await serve(core.core)]));
  for (const severity of ['hint', 'hint', 'drain', null, null] as const) await clients.tellWords(RUN.metadata.uid, wordsFor(severity));
  t.deepEqual(heard, ['node0 hint', 'node0 drain', 'node0 withdrawn']);
});

test('a coordinator of another epoch knows nothing of nodes, and is told all; one that did not hear is told again', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const heard: string[] = [];
  let epoch = 3;
  let isDeaf = true;
  const { core } = notingCore({
    status: () => ({ ...STATUS, epoch }),
    hint: ({ severity }) => {
      if (isDeaf) throw new Error('not now');
      heard.push(severity);
      return { workers: [] };
    },
  });
  const target = targetOf(['c1', await serve(core)]);
  const look = async (severity: Severity | null): Promise<void> => {
    await clients.ask(target);
    await clients.tellWords(RUN.metadata.uid, wordsFor(severity));
  };
  await look('drain');
  t.deepEqual(heard, []);
  isDeaf = false;
  await look('drain');
  t.deepEqual(heard, ['drain']);
  epoch = 4;
  await look('drain');
  t.deepEqual(heard, ['drain', 'drain']);
  epoch = 5;
  await look(null);
  t.deepEqual(heard, ['drain', 'drain'], 'it was never told of the node');
});

test('a renewed certificate is shown from the next question on', async (t) => {
  const { clients, serve, targetOf, renew } = await stage(t);
  const server = await serve(notingCore().core);
  t.truthy(await clients.ask(targetOf(['c1', server])));
  await renew();
  const answer = await clients.ask(targetOf(['c1', server]));
  t.is(answer?.pod, 'c1');
  t.deepEqual(await clients.drain(RUN.metadata.uid, 'w-1', null, 'x'), { kind: 'done' });
});

test('nothing is kept of a run that is forgotten', async (t) => {
  const { clients, serve, targetOf } = await stage(t);
  const server = await serve(notingCore().core);
  await clients.ask(targetOf(['c1', server]));
  clients.forget(RUN.metadata.uid);
  t.is(await clients.ask(targetOf()), null);
  t.is((await clients.drain(RUN.metadata.uid, 'w-1', null, 'x')).kind, 'unanswered');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { RolloutRun } from '../../../../../operator/api/run.ts';
import { coordinatorSettings, workerSettings } from '../../../../../operator/rollout/desired/run-settings.ts';
import type { RedisAccess } from '../../../../../operator/rollout/redis-access.ts';
import { runIdOf } from '../../../../../operator/rollout/run-id.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from '../../../../../runtime/coordinator/settings.ts';
import { sigtermDrainMs } from '../../../../../runtime/model/hint.ts';
import { loadWorkerSettings, type WorkerSettings } from '../../../../../runtime/worker/settings.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { temporaryDir } from '../../../../support/temporary-dir.ts';

/** As the runtime itself reads the file, with what the pod adds: what it does not know, or cannot do, it refuses. */
async function coordinatorOf(t: ExecutionContext, run: RolloutRun, redis: RedisAccess | null = null): Promise<CoordinatorSettings> {
  const path = join(temporaryDir(t), 'coordinator.yaml');
  writeFileSync(path, coordinatorSettings(run, redis));
  return loadCoordinatorSettings(path, { advertise: '10.0.0.1:50051' });
}

async function workerOf(t: ExecutionContext, run: RolloutRun): Promise<WorkerSettings> {
  const path = join(temporaryDir(t), 'worker.yaml');
  writeFileSync(path, workerSettings(run));
  return loadWorkerSettings(path, false, { workerId: 'answers-worker-0-0', node: 'node0' });
}

test('the least that a run says makes settings that both processes accept', async (t) => {
  const run = createdRun();
  t.like(await coordinatorOf(t, run), {
    runId: runIdOf(run.metadata.uid),
    input: '/state/input.jsonl',
    output: '/state/output.jsonl',
    stateDir: '/state/run',
    listen: '0.0.0.0:50051',
    http: { listen: '0.0.0.0:9464', isGiven: true },
    tlsDir: '/tls',
    serveAfterEnd: true,
    store: { kind: 'embedded' },
    form: 'batch',
    onInvalid: 'record',
    order: 'input',
    limit: null,
    maxAttempts: 5,
    maxFailedItems: null,
    hintsFile: null,
  });
  t.like(await workerOf(t, run), {
    coordinators: ['answers-coordinator.team.svc:50051'],
    stateDir: '/state',
    tlsDir: '/tls',
    concurrency: 64,
    backend: { type: 'openai', baseUrls: ['http://127.0.0.1:8000'] },
    hintsFile: null,
  });
});

test('format, retries and limits are those of the run', async (t) => {
  const format = { raw: true, onInvalid: 'fail', order: 'completion', limit: 7 };
  const settings = await coordinatorOf(t, createdRun({ format, retry: { maxAttempts: 3 }, maxFailedItems: '5%' }));
  t.like(settings, {
    form: 'raw',
    onInvalid: 'fail',
    order: 'completion',
    limit: 7,
    maxAttempts: 3,
    maxFailedItems: { kind: 'share', percent: 5 },
  });
  t.deepEqual((await coordinatorOf(t, createdRun({ maxFailedItems: 20 }))).maxFailedItems, { kind: 'items', items: 20 });
  t.deepEqual((await coordinatorOf(t, createdRun({ maxFailedItems: 0 }))).maxFailedItems, { kind: 'items', items: 0 });
});

test('the output goes to the volume that the run names', async (t) => {
  const settings = await coordinatorOf(t, createdRun({ output: { pvc: { claimName: 'data', path: 'out/answers.jsonl' } } }));
  t.like(settings, { output: '/output/out/answers.jsonl', stateDir: '/state/run' });
});

test('a Redis server is reached with what its Secret has, from files, and keeps the results as well', async (t) => {
  const settings = await coordinatorOf(t, createdRun(), REDIS);
  t.like(settings, {
    results: { place: 'inline' },
    store: {
      kind: 'redis',
      url: REDIS.url,
      passwordFile: '/redis/password',
      caCert: '/redis/ca.crt',
      cert: '/redis/tls.crt',
      key: '/redis/tls.key',
    },
  });
  const group = {
    ...REDIS,
    url: 'rediss+sentinel://s:26379/main',
    sentinelUsername: 'watch',
    hasSentinelPassword: true,
    hasSentinelAuthority: true,
  };
  t.like((await coordinatorOf(t, createdRun(), group)).store, {
    sentinelUsername: 'watch',
    sentinelPasswordFile: '/redis/sentinel-password',
    sentinelCaCert: '/redis/sentinel-ca.crt',
  });
  const { coordinator } = createdRun().spec;
  const limited = createdRun({ coordinator: { ...coordinator, results: { inlineLimit: '256Mi' } } });
  t.is((await coordinatorOf(t, limited, REDIS)).inlineLimitBytes, 256 * 2 ** 20);
  t.is((await coordinatorOf(t, createdRun(), REDIS)).inlineLimitBytes, 64 * 2 ** 20);
  const plain = { ...REDIS, url: 'redis://redis:6379', hasPassword: false, hasAuthority: false, hasCertificate: false };
  const { store } = await coordinatorOf(t, createdRun(), plain);
  t.like(store, { kind: 'redis', url: plain.url, passwordFile: null, caCert: null, cert: null, key: null });
  for (const key of ['hasPassword', 'hasAuthority', 'hasCertificate'] as const)
    t.is((await coordinatorOf(t, createdRun(), { ...plain, url: REDIS.url, [key]: true })).store.kind, 'redis', key);
});

test('workers execute on a mock, on a server of their own pod, or on one elsewhere', async (t) => {
  const backendOf = async (backend: object) => (await workerOf(t, createdRun({ backend }))).backend;
  t.like(await backendOf({ type: 'mock' }), { type: 'mock' });
  t.like(await backendOf({ port: 9_000 }), { type: 'openai', baseUrls: ['http://127.0.0.1:9000'] });
  t.like(await backendOf({ baseUrl: 'https://models.example.com/v1' }), { baseUrls: ['https://models.example.com/v1'] });
  for (const named of [{ model: 'small' }, { overrideModel: 'small' }]) {
    t.like(await backendOf(named), { type: 'openai', ...named });
    t.like(await coordinatorOf(t, createdRun({ backend: named })), { results: named });
  }
});

test('a worker drains within the grace period of its pod, and waits for an answer as long as the run says', async (t) => {
  const template = { spec: { terminationGracePeriodSeconds: 300, containers: [{ name: 'model', image: 'm' }] } };
  const own = await workerOf(t, createdRun({ workers: { template, concurrency: 8 }, backend: { requestTimeoutSeconds: 90 } }));
  const usual = await workerOf(t, createdRun());
  t.like(own, { concurrency: 8, requestTimeoutMs: 90_000 });
  t.is(own.drainTimeoutMs, sigtermDrainMs(300_000));
  t.is(usual.drainTimeoutMs, sigtermDrainMs(60_000));
});

test('a reader shows what is recorded, and does not stay for workers', (t) => {
  const [serving, reading] = [coordinatorSettings(createdRun(), REDIS), coordinatorSettings(createdRun(), REDIS, false)];
  t.deepEqual(JSON.parse(reading), { ...(JSON.parse(serving) as object), serveAfterEnd: false });
});

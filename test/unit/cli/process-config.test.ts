import test from 'ava';
import type { RunArguments } from '../../../runtime/cli/arguments.ts';
import {
  coordinatorConfig,
  coordinatorEnvironment,
  planSlots,
  workerConfig,
  workerEnvironment,
} from '../../../runtime/cli/process-config.ts';
import { EMBEDDED, namedStore, type Store } from '../../../runtime/model/store.ts';
import { statePaths } from '../../../runtime/run-dir/paths.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import { redisStore } from '../../support/redis-store.ts';
import { runArguments } from './run-arguments.ts';

const PATHS = statePaths('/runs/out.jsonl.rollout');

test('each worker gets all base URLs, and the concurrency that was asked for', (t) => {
  const args = runArguments({ workers: 3, concurrency: 8, baseUrl: ['http://a', 'http://b'] });
  const slots = planSlots(args, []);
  t.deepEqual(
    slots,
    ['w1', 'w2', 'w3'].map((name) => ({ name, concurrency: 8 })),
  );
  for (const slot of slots) t.like(workerConfig(args, slot, [], PATHS)['backend'], { baseUrl: ['http://a', 'http://b'] });
});

test('a slot of an earlier run that still holds outcomes gets a worker, even when fewer workers are asked for', (t) => {
  const slots = planSlots(runArguments({ workers: 1, baseUrl: [], backend: 'mock' }), ['w1', 'w3']);
  t.deepEqual(slots, [
    { name: 'w1', concurrency: 64 },
    { name: 'w3', concurrency: 1 },
  ]);
});

test('the coordinator gets paths, limits and what shapes results, and a port chosen by the system', (t) => {
  const args = runArguments({ model: 'm', limit: 10, order: 'completion', timing: { pollWait: '1s' } });
  const config = coordinatorConfig(
    args,
    { runId: 'R', inputPath: '/in.jsonl', outputMode: 0o640, store: EMBEDDED, loopback: '127.0.0.1' },
    PATHS,
  );
  t.like(config, {
    runId: 'R',
    input: '/in.jsonl',
    output: 'out.jsonl',
    overwrite: false,
    outputMode: '0640',
    listen: '127.0.0.1:0',
    stateDir: '/runs/out.jsonl.rollout',
    tls: { dir: '/runs/out.jsonl.rollout/tls' },
    order: 'completion',
    limit: 10,
    results: { model: 'm' },
    events: '/runs/out.jsonl.rollout/events.ndjson',
    timing: { pollWait: '1s' },
  });
});

test('the coordinator gets the store of the run, and of a server what is given of it', (t) => {
  const of = (store: Store, args: Partial<RunArguments> = {}): unknown =>
    coordinatorConfig(runArguments(args), { runId: 'R', inputPath: '/in', outputMode: 0o640, store, loopback: '127.0.0.1' }, PATHS)[
      'store'
    ];
  t.deepEqual(of(EMBEDDED), { embedded: {} });
  t.deepEqual(of({ ...redisStore('rediss://a'), passwordFile: '/p' }), {
    redis: 'rediss://a',
    passwordFile: '/p',
  });
  const redisExpireAfter = '2h';
  t.deepEqual(of(namedStore({ redis: 'redis://a' }), { redisExpireAfter }), { redis: 'redis://a', expireAfter: '2h' });
  t.deepEqual(of(EMBEDDED, { redisExpireAfter }), { embedded: {} });
});

test('a worker gets its slot as id, its own store, and the addresses of the coordinators', (t) => {
  const args = runArguments({ baseUrl: ['http://a'], timing: { leaseRenewInterval: '1s', pollWait: '1s' } });
  const config = workerConfig(args, { name: 'w2', concurrency: 8 }, ['localhost:4000'], PATHS);
  t.like(config, { coordinators: ['localhost:4000'], workerId: 'w2', stateDir: '/runs/out.jsonl.rollout/workers/w2', concurrency: 8 });
  t.deepEqual(config['backend'], { type: 'openai', baseUrl: ['http://a'], apiKeyEnv: 'OPENAI_API_KEY', maxAnswerBytes: '12MiB' });
  t.deepEqual(config['timing'], { pollWait: '1s' });
  const own = runArguments({ baseUrl: ['http://a'], apiKeyHeader: 'api-key', caCert: 'ca.pem' });
  t.like(workerConfig(own, { name: 'w1', concurrency: 1 }, [], PATHS)['backend'], { apiKeyHeader: 'api-key', caCert: 'ca.pem' });
});

test('secrets are in the environment of the workers and in no settings', (t) => {
  const args = runArguments({ header: { 'X-Key': 's3cret' }, apiKeyEnv: 'MY_KEY' });
  const env = { PATH: '/bin', MY_KEY: 's3cret' };
  const settings = [
    coordinatorConfig(args, { runId: 'R', inputPath: '/in', outputMode: 0o640, store: EMBEDDED, loopback: '127.0.0.1' }, PATHS),
    workerConfig(args, { name: 'w1', concurrency: 1 }, [], PATHS),
  ];
  t.false(JSON.stringify(settings).includes('s3cret'));
  const ofStore = { ROLLOUT_REDIS_PASSWORD: 's3cret', ROLLOUT_REDIS_SENTINEL_PASSWORD: 's3cret' };
  t.deepEqual(workerEnvironment(args, { ...env, ...ofStore }), { ...env, ROLLOUT_HEADERS: '{"X-Key":"s3cret"}' });
  t.deepEqual(coordinatorEnvironment(args, env), { PATH: '/bin', MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=8' });
});

test('options that a user gives to Node come behind those of the coordinator, so that they hold; so do those for the allocator', (t) => {
  const { NODE_OPTIONS } = coordinatorEnvironment(runArguments(), { NODE_OPTIONS: '--max-semi-space-size=4 --no-warnings' });
  t.is(NODE_OPTIONS, '--max-semi-space-size=8 --max-semi-space-size=4 --no-warnings');
  t.is(coordinatorEnvironment(runArguments(), { MALLOC_ARENA_MAX: '8' })['MALLOC_ARENA_MAX'], '8');
});

test('the space that a run wants free is what its coordinator is told, and by default what a coordinator wants anyway', (t) => {
  const config = coordinatorConfig(
    runArguments(),
    { runId: 'r', inputPath: '/in', outputMode: 0o640, store: EMBEDDED, loopback: '127.0.0.1' },
    PATHS,
  );
  t.is(config['minFreeSpace'], COORDINATOR.minFreeSpace.default);
  t.is(
    coordinatorConfig(
      runArguments({ minFreeSpace: '1GiB' }),
      { runId: 'r', inputPath: '/in', outputMode: 0o640, store: EMBEDDED, loopback: '127.0.0.1' },
      PATHS,
    )['minFreeSpace'],
    '1GiB',
  );
});

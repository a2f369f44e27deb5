import test from 'ava';
import { type HealthView, healthAnswer } from '../../../../runtime/coordinator/server/health-answer.ts';
import type { RunStatus } from '../../../../runtime/model/status.ts';

const STATUS = {
  runId: 'r',
  state: { kind: 'running' },
  epoch: 3,
  items: 10,
  isIndexed: true,
  done: 4,
  failed: 1,
  running: 2,
  handedBack: 0,
  workers: [{}, {}],
} as unknown as RunStatus;

const SERVING: HealthView = {
  version: '1.2.3',
  coordinatorStatus: { kind: 'taking-over' },
  storeTrouble: null,
  leaseEpoch: 3,
  status: STATUS,
  writes: null,
  certificate: { expiresInSeconds: 86_400, refused: null },
};
const PASSIVE: HealthView = {
  version: '1.2.3',
  writes: null,
  coordinatorStatus: { kind: 'passive' },
  storeTrouble: null,
  leaseEpoch: 2,
  status: null,
  certificate: null,
};
const WAITING: HealthView = {
  version: '1.2.3',
  writes: null,
  coordinatorStatus: { kind: 'no-space', shortage: 'no space in /d: 1 bytes are free, 2 are wanted' },
  storeTrouble: null,
  leaseEpoch: null,
  status: null,
  certificate: null,
};

test('/healthz says that the process lives, whatever it waits for', (t) => {
  for (const view of [SERVING, PASSIVE, WAITING]) t.like(healthAnswer('GET', '/healthz', view), { statusCode: 200, body: 'ok\n' });
});

test('/readyz is green for who serves or stands by, and red with the reason where there is no space', (t) => {
  t.like(healthAnswer('GET', '/readyz', SERVING), { statusCode: 200, body: 'primary\n' });
  t.like(healthAnswer('HEAD', '/readyz', PASSIVE), { statusCode: 200, body: 'passive\n' });
  t.like(healthAnswer('GET', '/readyz', WAITING), { statusCode: 503, body: 'no space in /d: 1 bytes are free, 2 are wanted\n' });
  t.is(healthAnswer('GET', '/readyz', { ...PASSIVE, coordinatorStatus: { kind: 'starting' } }).statusCode, 503);
  const full: HealthView = { ...PASSIVE, coordinatorStatus: { kind: 'candidate' }, storeTrouble: 'the server is full' };
  t.like(healthAnswer('GET', '/readyz', full), { statusCode: 503, body: 'not yet standing: it asks for the lease: the server is full\n' });
  t.is((JSON.parse(healthAnswer('GET', '/health', full).body) as { storeTrouble: string }).storeTrouble, 'the server is full');
});

test('/workers is JSON with where each worker stands, and null where none is known', (t) => {
  const worker = { workerId: 'w1', state: 'ready', running: 2, concurrency: 64, sinceBeatMs: 10, detail: '' } as const;
  const serving = healthAnswer('GET', '/workers', { ...SERVING, status: { ...STATUS, workers: [worker] } });
  t.like(serving, { statusCode: 200, contentType: 'application/json' });
  t.deepEqual(JSON.parse(serving.body), { workers: [{ workerId: 'w1', state: 'ready', running: 2, concurrency: 64, detail: '' }] });
  t.deepEqual(JSON.parse(healthAnswer('GET', '/workers', PASSIVE).body), { workers: null });
});

test('/health is JSON with what is known, also while nothing is served', (t) => {
  const serving = healthAnswer('GET', '/health', SERVING);
  t.like(serving, { statusCode: 200, contentType: 'application/json' });
  t.deepEqual(JSON.parse(serving.body), {
    active: true,
    role: 'primary',
    leaseEpoch: 3,
    workers: 2,
    progress: { state: 'running', items: 10, isIndexed: true, done: 4, failed: 1, running: 2, handedBack: 0 },
    storeTrouble: null,
    certificate: { expiresInSeconds: 86_400, refused: null },
  });
  t.deepEqual(JSON.parse(healthAnswer('GET', '/health', WAITING).body), {
    active: false,
    role: 'passive',
    leaseEpoch: null,
    workers: null,
    progress: null,
    storeTrouble: null,
    certificate: null,
  });
});

test('other paths are not there, and nothing can be changed', (t) => {
  t.is(healthAnswer('GET', '/', SERVING).statusCode, 404);
  t.is(healthAnswer('GET', '/healthz/', SERVING).statusCode, 404);
  t.is(healthAnswer('POST', '/healthz', SERVING).statusCode, 405);
});

test('one whose certificate has expired is not ready; one that keeps a good one, since the new files are not, is', (t) => {
  const expired = { expiresInSeconds: 0, refused: null };
  t.like(healthAnswer('GET', '/readyz', { ...SERVING, certificate: expired }), {
    statusCode: 503,
    body: 'its certificate has expired: nobody can connect\n',
  });
  const kept: HealthView = { ...SERVING, certificate: { expiresInSeconds: 60, refused: 'client.pem has expired' } };
  t.is(healthAnswer('GET', '/readyz', kept).statusCode, 200);
  t.like(JSON.parse(healthAnswer('GET', '/health', kept).body), { certificate: { refused: 'client.pem has expired' } });
});

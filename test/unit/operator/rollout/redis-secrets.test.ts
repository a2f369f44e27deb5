import test from 'ava';
import { SECRET, type Secret } from '../../../../operator/kube/kind.ts';
import { RedisSecrets } from '../../../../operator/rollout/redis-secrets.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf({ coordinator: { replicas: 1, store: { redis: { url: 'redis://r:6379', secretRef: { name: 'redis' } } } } });
const PASSWORD: Secret = { metadata: { name: 'redis', namespace: 'team' }, data: { password: 'cA==' } };

function stage() {
  const [cluster, clock] = [new MemoryCluster(), new ManualClock()];
  return { cluster, clock, secrets: new RedisSecrets(cluster, clock) };
}

test('a run whose ledger is embedded has no Secret, and nothing is asked for', async (t) => {
  const { cluster, secrets } = stage();
  t.is(await secrets.find(runOf()), null);
  t.deepEqual(cluster.reads, []);
});

test('a Secret is read once a minute, and a change of it is seen then', async (t) => {
  const { cluster, clock, secrets } = stage();
  cluster.put(SECRET, PASSWORD);
  t.like(await secrets.find(RUN), { kind: 'found', access: { hasPassword: true } });
  cluster.put(SECRET, { ...PASSWORD, data: {} });
  clock.jump(59_999);
  t.like(await secrets.find(RUN), { access: { hasPassword: true } });
  t.is(cluster.reads.length, 1);
  clock.jump(1);
  t.like(await secrets.find(RUN), { access: { hasPassword: false } });
});

test('one that is missing is looked for each time, so that the run starts when it is there', async (t) => {
  const { cluster, secrets } = stage();
  t.like(await secrets.find(RUN), { kind: 'missing' });
  cluster.put(SECRET, PASSWORD);
  t.like(await secrets.find(RUN), { kind: 'found' });
});

test('nothing is kept of a run that is gone', async (t) => {
  const { cluster, secrets } = stage();
  cluster.put(SECRET, PASSWORD);
  await secrets.find(RUN);
  secrets.forget(RUN.metadata.uid);
  await secrets.find(RUN);
  t.is(cluster.reads.length, 2);
});

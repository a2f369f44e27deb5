import test from 'ava';
import type { Deployment } from '../../../../../operator/kube/kind.ts';
import { coordinatorDeployment, coordinatorService, stateClaim } from '../../../../../operator/rollout/desired/coordinator.ts';
import type { RedisAccess } from '../../../../../operator/rollout/redis-access.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { restrictionsBroken } from '../../../../support/operator/restricted.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

const deployment = (spec: object = {}, redis: RedisAccess | null = null): Deployment =>
  coordinatorDeployment(createdRun(spec), 'digest', redis, PODS);
const podOf = (made: Deployment) => made.spec?.template.spec;

test('a coordinator may run in a namespace that restricts its pods, as any user', (t) => {
  t.deepEqual(restrictionsBroken(podOf(deployment())), []);
  t.deepEqual(restrictionsBroken(podOf(deployment({}, REDIS))), []);
});

test('one coordinator of an embedded store ends before the next begins; those of a server are replaced one at a time, on several nodes', (t) => {
  t.like(deployment().spec, { replicas: 1, strategy: { type: 'Recreate' } });
  t.is(podOf(deployment())?.topologySpreadConstraints, undefined);
  const two = deployment({ coordinator: { replicas: 2, store: { redis: { url: 'redis://r:6379' } } } }, REDIS);
  t.like(two.spec, { replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } });
  t.like(podOf(two)?.topologySpreadConstraints?.[0], { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' });
});

test('its selector finds its pods, never changes with the run, and takes no worker', (t) => {
  const [plain, other] = [deployment(), deployment({ backend: { type: 'mock' }, coordinator: { nodeSelector: { a: 'b' } } })];
  t.deepEqual(plain.spec?.selector, other.spec?.selector);
  t.like(plain.spec?.template.metadata?.labels, { ...plain.spec?.selector.matchLabels });
  t.is(plain.spec?.selector.matchLabels?.['app.kubernetes.io/component'], 'coordinator');
});

test('changed settings make another pod, and equal ones the same', (t) => {
  const annotations = (settings: string) => coordinatorDeployment(createdRun(), settings, null, PODS).spec?.template.metadata?.annotations;
  t.is(annotations('a')?.['rollout.run/config-hash'], 'a');
  t.deepEqual(deployment(), deployment());
});

test('a cluster that makes room leaves it where it is', (t) => {
  t.is(deployment().spec?.template.metadata?.annotations?.['cluster-autoscaler.kubernetes.io/safe-to-evict'], 'false');
});

test('what the run says of the pod is done, and otherwise there are requests without a limit', (t) => {
  const coordinator = {
    nodeSelector: { pool: 'small' },
    tolerations: [{ key: 'x', operator: 'Exists' }],
    resources: { requests: { cpu: '2' } },
  };
  const pod = podOf(deployment({ coordinator }));
  t.deepEqual(pod?.nodeSelector, coordinator.nodeSelector);
  const [asked, ...own] = pod?.tolerations ?? [];
  t.deepEqual(asked, coordinator.tolerations[0]);
  t.deepEqual(
    own.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
    [
      ['node.kubernetes.io/unreachable', 10],
      ['node.kubernetes.io/not-ready', 10],
    ],
    'it is made anew soon where its node is gone',
  );
  t.deepEqual(pod?.containers[0]?.resources, coordinator.resources);
  t.deepEqual(pod?.initContainers?.[0]?.resources, coordinator.resources, 'the pod needs no more by what runs before the coordinator');
  t.deepEqual(Object.keys(podOf(deployment())?.containers[0]?.resources ?? {}), ['requests']);
});

test('images are pulled as the operator is told to', (t) => {
  const pods = { ...PODS, imagePullSecrets: ['registry'], imagePullPolicy: 'Always' } as const;
  const pod = podOf(coordinatorDeployment(createdRun(), 'digest', null, pods));
  t.deepEqual(pod?.imagePullSecrets, [{ name: 'registry' }]);
  t.deepEqual(
    [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].map(({ imagePullPolicy }) => imagePullPolicy),
    ['Always', 'Always'],
  );
});

test('the service finds coordinators that recover as well, at the ports that their container names', (t) => {
  const { spec } = coordinatorService(createdRun());
  t.true(spec?.publishNotReadyAddresses);
  t.deepEqual(spec?.selector, deployment().spec?.selector.matchLabels);
  const named = podOf(deployment())?.containers[0]?.ports?.map(({ name, containerPort }) => [name, containerPort]);
  t.deepEqual(
    spec?.ports?.map(({ targetPort, port }) => [targetPort, port]),
    named,
  );
});

test('the claim is as large as the run says, of its class or of the default one', (t) => {
  t.deepEqual(stateClaim(createdRun()).spec, { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } });
  const embedded = { storage: '20Gi', storageClassName: 'fast' };
  t.like(stateClaim(createdRun({ coordinator: { store: { embedded } } })).spec, {
    resources: { requests: { storage: '20Gi' } },
    storageClassName: 'fast',
  });
});

test('all three go with their run', (t) => {
  const run = createdRun();
  for (const { metadata } of [deployment(), coordinatorService(run), stateClaim(run)]) {
    t.like(metadata, { namespace: 'team', labels: { 'rollout.run/run': 'answers' } });
    t.is(metadata.ownerReferences?.[0]?.uid, run.metadata.uid);
  }
});

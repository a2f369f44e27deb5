import test from 'ava';
import type { RolloutRun } from '../../../../../operator/api/run.ts';
import type { Pod } from '../../../../../operator/kube/kind.ts';
import { templateHash, WORKER_CONTAINER, workerPod } from '../../../../../operator/rollout/desired/worker-pod.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { restrictionsBroken } from '../../../../support/operator/restricted.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

const PLACE = { slot: 3, incarnation: 2 };
const MODEL = { name: 'model', image: 'vllm:1', resources: { limits: { 'nvidia.com/gpu': '1' } } };

const withTemplate = (template: object, more: object = {}): RolloutRun => createdRun({ workers: { template }, ...more });
const podOf = (run: RolloutRun, avoid: readonly string[] = []): Pod => workerPod(run, PLACE, avoid, PODS);

test('the worker may run in a namespace that restricts its pods, as any user; the user’s containers are as the user has them', (t) => {
  const securityContext = { runAsUser: 1_000 };
  const { spec } = podOf(withTemplate({ spec: { containers: [{ ...MODEL, securityContext }] } }));
  t.deepEqual(
    restrictionsBroken(spec, (name) => name === WORKER_CONTAINER),
    [],
  );
  t.like(spec?.initContainers?.[0], { ...MODEL, securityContext });
});

test('the user’s containers start after the user’s own first steps and before the worker, and stop after it', (t) => {
  const initContainers = [{ name: 'download', image: 'fetch:1' }];
  const { spec } = podOf(withTemplate({ spec: { initContainers, containers: [MODEL, { name: 'metrics', image: 'm:1' }] } }));
  t.deepEqual(
    spec?.initContainers?.map(({ name, restartPolicy }) => [name, restartPolicy]),
    [
      ['download', undefined],
      ['model', 'Always'],
      ['metrics', 'Always'],
    ],
  );
  t.deepEqual(
    spec?.containers.map(({ name }) => name),
    ['worker'],
  );
  t.is(spec?.restartPolicy, 'OnFailure', 'a worker that dies is started again beside its outbox; one that has ended is over');
});

test('a template that names no container is one for a model server that is elsewhere', (t) => {
  const backend = { baseUrl: 'https://models.example.com' };
  for (const template of [{}, { metadata: { labels: { a: 'b' } } }, { spec: { nodeSelector: { pool: 'cpu' } } }]) {
    const { spec } = podOf(withTemplate(template, { backend }));
    t.deepEqual([spec?.initContainers, spec?.containers.length], [[], 1]);
  }
  t.is(podOf(createdRun({ backend })).spec?.containers.length, 1);
});

test('labels of the operator stand above those of the user; annotations of the user above those of the operator', (t) => {
  const key = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
  const metadata = { labels: { team: 'x', 'rollout.run/slot': '99' }, annotations: { [key]: 'false' } };
  const made = podOf(withTemplate({ metadata, spec: { containers: [MODEL] } })).metadata;
  t.like(made, {
    name: 'answers-worker-3-2',
    namespace: 'team',
    labels: { team: 'x', 'rollout.run/slot': '3', 'rollout.run/incarnation': '2', 'app.kubernetes.io/component': 'worker' },
    annotations: { [key]: 'false' },
  });
  t.is(made.ownerReferences?.[0]?.uid, createdRun().metadata.uid);
  t.is(podOf(createdRun({ backend: { type: 'mock' } })).metadata.annotations?.[key], 'true');
});

test('the pod has the user’s volumes and the operator’s, and mounts each of its own', (t) => {
  const volumes = [{ name: 'weights', persistentVolumeClaim: { claimName: 'weights' } }];
  const { spec } = podOf(withTemplate({ spec: { volumes, containers: [MODEL] } }));
  t.deepEqual(
    spec?.volumes?.map(({ name }) => name),
    ['weights', 'rollout-config', 'rollout-state', 'rollout-tls'],
  );
  t.deepEqual(
    spec?.containers[0]?.volumeMounts?.map(({ name }) => name),
    ['rollout-config', 'rollout-state', 'rollout-tls'],
  );
});

test('grace period, pull secrets and token are the user’s where the user says', (t) => {
  const own = { terminationGracePeriodSeconds: 300, imagePullSecrets: [{ name: 'mine' }], automountServiceAccountToken: true };
  const run = withTemplate({ spec: { ...own, containers: [MODEL] } });
  const { spec } = workerPod(run, PLACE, [], { ...PODS, imagePullSecrets: ['registry'] });
  t.like(spec, {
    terminationGracePeriodSeconds: 300,
    imagePullSecrets: [{ name: 'mine' }, { name: 'registry' }],
    automountServiceAccountToken: true,
  });
  t.like(podOf(createdRun()).spec, { terminationGracePeriodSeconds: 60, automountServiceAccountToken: false });
});

test('a key reaches the worker from its Secret alone', (t) => {
  const backend = { apiKeySecretRef: { name: 'openai', key: 'token' }, baseUrl: 'https://models.example.com' };
  const variable = (run: RolloutRun) => podOf(run).spec?.containers[0]?.env?.find(({ name }) => name === 'OPENAI_API_KEY');
  t.deepEqual(variable(createdRun({ backend })), {
    name: 'OPENAI_API_KEY',
    valueFrom: { secretKeyRef: { name: 'openai', key: 'token' } },
  });
  t.is(variable(createdRun()), undefined);
});

test('the template’s digest changes with what the pods are made from, and with nothing else', (t) => {
  const spec = { backend: { port: 8_000 }, workers: { template: { spec: { containers: [MODEL] } }, parallelism: 2, concurrency: 8 } };
  const digest = templateHash(createdRun(spec));
  const hashWith = (workers: object, more: object = {}): string =>
    templateHash(createdRun({ ...spec, ...more, workers: { ...spec.workers, ...workers } }));
  t.is(hashWith({ parallelism: 9, updateStrategy: 'OnDelete', maxMissing: 1 }, { suspend: true, maxFailedItems: 3 }), digest);
  t.not(hashWith({ concurrency: 9 }), digest);
  t.not(hashWith({}, { backend: { port: 8_001 } }), digest);
  t.not(hashWith({ template: { spec: { containers: [{ ...MODEL, image: 'vllm:2' }] } } }), digest);
  t.is(podOf(createdRun(spec)).metadata.labels?.['rollout.run/template'], digest);
});

test('a worker keeps away from nodes that will go, also beside what the user asks of nodes', (t) => {
  const elsewhere = ['n1', 'n2'].map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  const required = (run: RolloutRun, avoid: readonly string[]) =>
    podOf(run, avoid).spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  t.deepEqual(required(createdRun(), ['n1', 'n2']), [{ matchFields: elsewhere }]);
  t.is(required(createdRun(), []), undefined);
  t.is(podOf(createdRun(), ['n1', 'n2']).metadata.annotations?.['rollout.run/avoids'], 'n1,n2');
  t.false('rollout.run/avoids' in (podOf(createdRun()).metadata.annotations ?? {}));
  const nodeSelectorTerms = [
    { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] },
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n3'] }] },
  ];
  const affinity = {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
  const run = withTemplate({ spec: { affinity, containers: [MODEL] } });
  t.deepEqual(required(run, ['n1', 'n2']), [
    { ...nodeSelectorTerms[0], matchFields: elsewhere },
    { matchFields: [...(nodeSelectorTerms[1]?.matchFields ?? []), ...elsewhere] },
  ]);
  t.truthy(podOf(run, ['n1']).spec?.affinity?.podAntiAffinity);
  const many = Array.from({ length: 500 }, (_, at) => `n${at}`);
  t.is(required(createdRun(), many)?.[0]?.matchFields?.length, 50);
});

test('the worker’s own container has the resources that the run gives it, and another hash then; the model server keeps its own', (t) => {
  const resources = { requests: { cpu: '1' }, limits: { memory: '1Gi' } };
  const template = { spec: { containers: [MODEL] } };
  const given = createdRun({ workers: { template, resources } });
  t.deepEqual(podOf(given).spec?.containers[0]?.resources, resources);
  t.deepEqual(podOf(given).spec?.initContainers?.[0]?.resources, MODEL.resources);
  t.deepEqual(Object.keys(podOf(withTemplate(template)).spec?.containers[0]?.resources ?? {}), ['requests']);
  t.not(templateHash(given), templateHash(withTemplate(template)));
});

import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import type { RolloutRun } from '../../operator/api/run.ts';
import {
  CONFIG_MAP,
  collectionPath,
  DEPLOYMENT,
  type Deployment,
  type Kind,
  NETWORK_POLICY,
  objectPath,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  POD_DISRUPTION_BUDGET,
  type Pod,
  SERVICE,
} from '../../operator/kube/kind.ts';
import { type KubeObject, refOf } from '../../operator/kube/object.ts';
import { readerPod } from '../../operator/rollout/desired/reader-pod.ts';
import { workerPod } from '../../operator/rollout/desired/worker-pod.ts';
import { planRun } from '../../operator/rollout/plan.ts';
import type { RedisAccess } from '../../operator/rollout/redis-access.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { createdRun } from '../support/operator/created-run.ts';
import { REDIS } from '../support/operator/redis-world.ts';
import { PODS, seenOf } from '../support/operator/run-world.ts';

/** What the API server says of children as the operator writes them. Nothing of it is stored. */

const cluster = await startCluster({ nodes: 0 });
const DRY = 'dryRun=All&fieldValidation=Strict';
const SETTINGS = { ...PODS, fsGroup: 65_532, reachableFrom: 'rollout', imagePullSecrets: ['registry'], env: { HTTPS_PROXY: 'http://p:1' } };
const KINDS: readonly Kind<KubeObject>[] = [
  CONFIG_MAP,
  DEPLOYMENT,
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  POD_DISRUPTION_BUDGET,
  SERVICE,
];

/** The run in a namespace of this cluster. */
function runIn(namespace: string, spec: object): RolloutRun {
  const run = createdRun(spec);
  return { ...run, metadata: { ...run.metadata, namespace } };
}

/** Applies and creates all that the operator would, and answers how many objects were taken. */
async function take(run: RolloutRun, redis: RedisAccess | null, avoid: readonly string[] = []): Promise<number> {
  const { apply } = planRun(seenOf({ run, redis: redis === null ? null : { kind: 'found', access: redis }, workers: [] }), SETTINGS);
  for (const child of apply) await applied(child);
  const pods = [workerPod(run, { slot: 0, incarnation: 0 }, avoid, SETTINGS), readerPod(run, redis, SETTINGS), ...apply.flatMap(podsOf)];
  for (const pod of pods) await cluster.api.call('POST', `${collectionPath(POD, run.metadata.namespace)}?${DRY}`, pod);
  return apply.length + pods.length;
}

async function applied(child: KubeObject): Promise<void> {
  const kind = KINDS.find((one) => one.kind === child.kind);
  if (kind === undefined) throw new Error(`no kind of children: ${child.kind}`);
  const path = `${objectPath(kind, refOf(child))}?fieldManager=rollout-operator&force=true&${DRY}`;
  await cluster.api.call('PATCH', path, child, 'application/apply-patch+yaml');
}

/** Of a Deployment the pod that it would make: only pods are refused by the standard of a namespace. */
function podsOf(child: KubeObject): readonly Pod[] {
  if (child.kind !== 'Deployment') return [];
  const { metadata, spec } = (child as Deployment).spec?.template ?? {};
  const { namespace = '' } = child.metadata;
  const { labels = {} } = metadata ?? {};
  return [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'of-the-deployment', namespace, labels }, spec: spec ?? { containers: [] } }];
}

const MODEL = { name: 'model', image: 'model:1' };
const VARIANTS: Readonly<Record<string, readonly [spec: object, redis: RedisAccess | null]>> = {
  'the least that a run says': [{ backend: { type: 'mock' } }, null],
  'a Redis server with all that its Secret may have': [{ backend: { type: 'mock' }, coordinator: { replicas: 2 } }, REDIS],
  'lists and results on volumes': [
    { backend: { type: 'mock' }, input: { pvc: { claimName: 'a', path: 'b/c' } }, output: { pvc: { claimName: 'd', path: 'e' } } },
    null,
  ],
  'a list that is fetched, a model server elsewhere': [
    {
      input: { uri: { url: 'https://example.com/a', sha256: 'a'.repeat(64) } },
      backend: { baseUrl: 'https://models.example.com', apiKeySecretRef: { name: 'a', key: 'b' } },
      workers: { template: { spec: { nodeSelector: { a: 'b' } } } },
    },
    null,
  ],
};

for (const [what, [spec, redis]] of Object.entries(VARIANTS)) {
  test(`children of a run are taken in a restricted namespace: ${what}`, async (t) => {
    const { input, ...rest } = { input: { configMap: { name: 'prompts' } }, ...spec };
    t.true((await take(runIn(await testNamespace(t, cluster), { input, ...rest }), redis, ['node9'])) >= 7);
  });
}

test('the user’s containers become sidecars that the API server takes, also beside the user’s own affinity', async (t) => {
  const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const template = { spec: { affinity, initContainers: [{ ...MODEL, name: 'download' }], containers: [MODEL] } };
  const run = runIn(await testNamespace(t, cluster, 'privileged'), { workers: { template } });
  t.true((await take(run, null, ['node1', 'node2'])) >= 7);
});

for (const path of readdirSync('examples').filter((name) => name.endsWith('.yaml'))) {
  test(`children of the run in examples/${path} are taken`, async (t) => {
    const documents = parseAllDocuments(readFileSync(`examples/${path}`, 'utf8')).map((one) => one.toJS() as RolloutRun);
    const run = documents.find(({ kind }) => kind === 'RolloutRun');
    const spec = run?.spec ?? t.fail(`${path} has no run`);
    const redis = run?.spec.coordinator?.store?.redis === undefined ? null : REDIS;
    t.true((await take(runIn(await testNamespace(t, cluster, 'privileged'), spec), redis)) >= 7);
  });
}

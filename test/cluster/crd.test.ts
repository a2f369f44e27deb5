import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import type { RunSpec } from '../../operator/api/types.gen.ts';
import { Refused } from '../support/cluster/api.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { changed, NEW_RUNS, NEW_SPEC, RUN_CHANGES } from '../support/run-refusals.ts';
import { readCrd, runSchema, schemasIn } from '../support/run-schema.ts';

/** What the API server itself does with a RolloutRun: it refuses, fills in, prints and scales. No operator is needed for it. */

const cluster = await startCluster({ nodes: 0 });
const DRY = '?dryRun=All&fieldValidation=Strict';
const runsOf = (namespace: string): string => `/apis/rollout.run/v1alpha1/namespaces/${namespace}/rolloutruns`;
const runOf = (name: string, spec: object): object => ({
  apiVersion: 'rollout.run/v1alpha1',
  kind: 'RolloutRun',
  metadata: { name },
  spec,
});

/** What the server says of a call that it should refuse. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'it was accepted';
  } catch (error) {
    return error instanceof Refused && error.status === 422 ? error.message : `another error: ${String(error)}`;
  }
}

test.serial('the chart installs the kind', async (t) => {
  t.timeout(120_000);
  await installOperator(t, cluster, 'replicaCount=0');
  const { status } = await cluster.api.call<{ readonly status: { readonly conditions: readonly { type: string; status: string }[] } }>(
    'GET',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rolloutruns.rollout.run',
  );
  t.deepEqual(
    status.conditions
      .filter((one) => one.status === 'True')
      .map(({ type }) => type)
      .toSorted(),
    ['Established', 'NamesAccepted'],
  );
});

test.serial('a run that the rules do not allow is refused, with a message that says what to change', async (t) => {
  const namespace = await testNamespace(t, cluster);
  for (const { what, name = 'a', change, says } of NEW_RUNS) {
    const call = cluster.api.call('POST', `${runsOf(namespace)}${DRY}`, runOf(name, changed(NEW_SPEC, change)));
    t.regex(await refusalOf(call), says, what);
  }
});

test.serial('what a run began with cannot be changed, and the message says what to do', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.api.call('POST', runsOf(namespace), runOf('began', NEW_SPEC));
  for (const { what, change, says } of RUN_CHANGES) {
    const call = cluster.api.call('PATCH', `${runsOf(namespace)}/began${DRY}`, { spec: change }, 'application/merge-patch+json');
    t.regex(await refusalOf(call), says, what);
  }
});

test.serial('what may change while a run goes on is accepted', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.api.call('POST', runsOf(namespace), runOf('goes-on', NEW_SPEC));
  const change = {
    suspend: true,
    workers: { parallelism: 0, concurrency: 1 },
    retry: { maxAttempts: 1 },
    maxFailedItems: '5%',
    activeDeadlineSeconds: 60,
    ttlSecondsAfterFinished: 0,
  };
  const after = await cluster.api.call<{ readonly spec: RunSpec }>(
    'PATCH',
    `${runsOf(namespace)}/goes-on`,
    { spec: change },
    'application/merge-patch+json',
  );
  t.like(after.spec, change);
});

test('every rule has a run that breaks it', (t) => {
  const rules = [...schemasIn(runSchema(readCrd()))].flatMap(([, one]) => one['x-kubernetes-validations'] ?? []);
  const cases = [...NEW_RUNS, ...RUN_CHANGES];
  t.deepEqual(
    rules.map(({ message = '' }) => message).filter((message) => !cases.some(({ says }) => says.test(message))),
    [],
  );
});

test.serial('what is left out is filled in', async (t) => {
  const namespace = await testNamespace(t, cluster);
  const spec = { input: { configMap: { name: 'prompts' } }, backend: { type: 'mock' } };
  const run = await cluster.api.call<{ readonly spec: RunSpec }>('POST', `${runsOf(namespace)}${DRY}`, runOf('a', spec));
  t.deepEqual(run.spec, {
    input: { configMap: { name: 'prompts', key: 'items.jsonl' } },
    format: { raw: false, onInvalid: 'record', order: 'input' },
    backend: { type: 'mock', requestTimeoutSeconds: 600 },
    workers: { parallelism: 1, concurrency: 64, updateStrategy: 'RollingUpdate' },
    coordinator: { replicas: 1, store: { embedded: { storage: '1Gi' } } },
    certificates: { mode: 'selfSigned' },
    retry: { maxAttempts: 5 },
    suspend: false,
  });
});

test.serial('each example is accepted as it stands', async (t) => {
  const namespace = await testNamespace(t, cluster);
  const paths = readdirSync('examples').filter((name) => name.endsWith('.yaml'));
  t.true(paths.length >= 6);
  for (const path of paths) {
    const said = await cluster.kubectl(
      'apply',
      '--namespace',
      namespace,
      '--dry-run=server',
      '--validate=strict',
      '-f',
      `examples/${path}`,
    );
    t.regex(said, /rolloutrun\.rollout\.run\/\S+ created \(server dry run\)/, path);
    t.false(/warning/i.test(said), said);
  }
});

test.serial('a run is scaled, printed and explained as other kinds are', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.api.call('POST', runsOf(namespace), runOf('seen', NEW_SPEC));
  await cluster.kubectl('scale', '--namespace', namespace, 'rrun/seen', '--replicas=7');
  const { spec } = await cluster.kubectlJson<{ readonly spec: RunSpec }>('get', 'rrun', 'seen', '--namespace', namespace);
  t.is(spec.workers.parallelism, 7);
  const status = { phase: 'Running', progress: '3/10', rate: '1.5/s', eta: '4m', items: { failed: 1, redone: 6 }, workers: { ready: 2 } };
  await cluster.api.call('PATCH', `${runsOf(namespace)}/seen/status`, { status }, 'application/merge-patch+json');
  const wide = await cluster.kubectl('get', 'rollout', '--namespace', namespace, '-o', 'wide');
  t.regex(wide, /^NAME +PHASE +PROGRESS +FAILED +RATE +WORKERS +COORDINATOR +EPOCH +REDONE +ETA +AGE$/m);
  t.regex(wide, /^seen +Running +3\/10 +1 +1\.5\/s +2 +6 +4m +\d+s$/m);
  t.regex(await cluster.kubectl('explain', 'rolloutrun.spec.workers.parallelism'), /Number of workers/);
});

test.serial('the status is written by itself, and a write of the run leaves it alone', async (t) => {
  const namespace = await testNamespace(t, cluster);
  const path = `${runsOf(namespace)}/apart`;
  await cluster.api.call('POST', runsOf(namespace), { ...runOf('apart', NEW_SPEC), status: { phase: 'Complete' } });
  const patch = { spec: { suspend: true }, status: { phase: 'Failed' } };
  type Run = { readonly spec: RunSpec; readonly status?: { readonly phase?: string } };
  t.is((await cluster.api.call<Run>('GET', path)).status, undefined);
  const seen = await cluster.api.call<Run>('PATCH', `${path}/status`, patch, 'application/merge-patch+json');
  t.deepEqual([seen.spec.suspend, seen.status?.phase], [false, 'Failed']);
});

test.serial('a name that the schema does not know is refused by kubectl', async (t) => {
  const namespace = await testNamespace(t, cluster);
  const typo = readFileSync('examples/rolloutrun.yaml', 'utf8').replace('  workers:', '  wrokers:');
  await t.throwsAsync(cluster.applyYaml(namespace, typo), { message: /unknown field|field not declared in schema/ });
});

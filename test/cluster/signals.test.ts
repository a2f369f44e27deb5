import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { conditionOf } from '../../operator/api/conditions.ts';
import type { Pod } from '../../operator/kube/kind.ts';
import { SIGNAL_ROWS, type SignalRow } from '../../operator/nodes/signals.ts';
import { PROVIDER_TIMES } from '../../runtime/model/hint.ts';
import { lossesAtCoordinator, statesAtCoordinator } from '../support/cluster/coordinator-words.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { markNode, taint, untaint } from '../support/cluster/node-marks.ts';
import { installNamespaced } from '../support/cluster/operator.ts';
import { killProcess } from '../support/cluster/process.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { firstWorker, placeOf, REPLACED_MS, untilReplaced, workingRun } from '../support/cluster/working-run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const WORKERS = 2;
/** What a watch of nodes takes to tell, many times over. */
const SETTLED_MS = 3_000;
const FLAP_MS = 2_000;
const FLAPS = 30;
const EVICTION_SECONDS = 16;
/** Of a grace period of ten minutes. */
const KILLED_AFTER_MS = 15_000;

/** One that a user adds by the chart's values. */
const OWN: SignalRow = { kind: 'taint', key: 'example.com/going', severity: 'drain', leadSeconds: 60 };
const OWN_VALUES = Object.entries(OWN).map(([name, value]) => `signals[0].${name}=${value}`);

interface Stage {
  readonly t: ExecutionContext;
  readonly cluster: Cluster;
  readonly run: ClusterRun;
}

const nodeOf = ({ spec }: Pod): string => spec?.nodeName ?? '';
const uidsOf = (pods: readonly Pod[]): readonly (string | undefined)[] => pods.map(({ metadata }) => metadata.uid);
const titleOf = ({ kind, key, value, severity }: SignalRow): string =>
  `${kind} ${key}${value === undefined ? '' : `=${value}`}: ${severity}`;

/** One of each place, each of them at work, and no other on its way in. One that was deleted while it started stays for its grace. */
async function settled({ cluster, run }: Stage): Promise<readonly Pod[]> {
  return untilSeen(
    `${WORKERS} workers are at work`,
    2 * REPLACED_MS,
    async () => {
      const pods = (await run.pods('worker')).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const states = await statesAtCoordinator(cluster, run);
      return pods.length === states.size ? pods.filter(({ metadata }) => states.get(metadata.name) === 'ready') : [];
    },
    (pods) => pods.length === WORKERS && new Set(pods.map(placeOf)).size === WORKERS,
  );
}

/** What a drain by this row may take, as docs/kubernetes.md has it. */
function drainMsOf({ provider, leadSeconds }: SignalRow): number {
  return provider === undefined ? (leadSeconds ?? 0) * 1_000 : PROVIDER_TIMES[provider].drainMs;
}

async function untilLeft({ cluster, run }: Stage, node: string, row: SignalRow, before: readonly Pod[]): Promise<void> {
  const names = before.filter((pod) => nodeOf(pod) === node).map(({ metadata }) => metadata.name);
  await untilSeen(
    `the workers of ${node} have left their coordinator before the deadline`,
    drainMsOf(row),
    async () => [...(await statesAtCoordinator(cluster, run)).keys()],
    (known) => !known.some((name) => names.includes(name)),
  );
}

/** Those that were on the node have left it, and others work in their places, elsewhere. */
async function untilMoved({ run }: Stage, node: string, before: readonly Pod[]): Promise<void> {
  const former = new Set(uidsOf(before.filter((pod) => nodeOf(pod) === node)));
  await untilSeen(
    `the workers of ${node} work elsewhere`,
    2 * REPLACED_MS,
    async () => run.pods('worker'),
    (pods) => pods.every((pod) => !former.has(pod.metadata.uid) && nodeOf(pod) !== node && nodeOf(pod) !== ''),
  );
}

async function untilHolding({ cluster, run }: Stage, node: string, before: readonly Pod[]): Promise<void> {
  const names = before.filter((pod) => nodeOf(pod) === node).map(({ metadata }) => metadata.name);
  await untilSeen(
    `the workers of ${node} take nothing new`,
    REPLACED_MS,
    async () => [...(await statesAtCoordinator(cluster, run))],
    (states) => names.every((name) => states.some(([one, state]) => one === name && state === 'draining')),
  );
}

/** The kubelet itself takes its condition back within seconds: a successor has been made by then, whoever stays in the end. */
async function untilSucceeded({ cluster, run }: Stage, node: string, row: SignalRow, before: readonly Pod[]): Promise<void> {
  const known = new Set(uidsOf(before));
  await untilSeen(
    `a worker of ${node} has a successor`,
    REPLACED_MS,
    async () => {
      await markNode(cluster, node, row);
      return run.pods('worker');
    },
    (pods) => pods.some(({ metadata }) => !known.has(metadata.uid)),
  );
}

async function seeRow(stage: Stage, row: SignalRow, nth: number): Promise<{ readonly from: string; readonly after: readonly Pod[] }> {
  const { t, cluster } = stage;
  const before = await settled(stage);
  const from = nodeOf(before.toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)))[nth % WORKERS] as Pod);
  const others = before.filter((pod) => nodeOf(pod) !== from);
  const withdraw = await markNode(cluster, from, row);
  t.teardown(async () => withdraw());
  if (row.isSilence === true) await sleep(SETTLED_MS);
  else if (row.severity === 'hint') await untilHolding(stage, from, before);
  else if (row.key === 'Ready') await untilSucceeded(stage, from, row, before);
  else {
    if (row.severity === 'drain') await untilLeft(stage, from, row, before);
    await untilMoved(stage, from, before);
  }
  await withdraw();
  const after = await settled(stage);
  if (row.isSilence === true || row.severity === 'hint') t.deepEqual(uidsOf(after), uidsOf(before), titleOf(row));
  for (const { metadata } of others) t.true(uidsOf(after).includes(metadata.uid), `${titleOf(row)}: ${metadata.name} was elsewhere`);
  return { from, after };
}

test.serial('each signal of a node, and one of a user: what it means to the workers there, and that it is withdrawn', async (t) => {
  const plan = { name: 'signals', items: 3_000, parallelism: WORKERS };
  const stage = { t, ...(await workingRun(t, plan, ...OWN_VALUES)) };
  const { cluster, run } = stage;
  const [marked, again] = [new Set<string>(), new Set<string>()];
  for (const [nth, row] of [...SIGNAL_ROWS, OWN].entries()) {
    const begunMs = performance.now();
    const { from, after } = await seeRow(stage, row, nth);
    t.log(`${titleOf(row)}: ${Math.round(performance.now() - begunMs)} ms`);
    for (const pod of after) if (marked.has(nodeOf(pod))) again.add(nodeOf(pod));
    marked.add(from);
  }
  t.true(again.size > 1, 'nodes of which nothing is said any more are used again');
  const reasons = (await lossesAtCoordinator(cluster, run)).map(({ reason }) => reason);
  t.deepEqual([...new Set(reasons)], ['gone'], 'nobody is given up but for nodes that are said to be gone');
  await run.hasten('1ms');
  await run.assertComplete(t);
});

test.serial('a taint that comes and goes for a minute: nobody is lost, and no item fails', async (t) => {
  // They take longer than a turn: whoever drains is still there when the taint goes, and works on. Together they take a minute and a half.
  const { cluster, run } = await workingRun(t, { name: 'flapping', items: 216, latency: '5s' });
  const worker = await firstWorker(run);
  const node = nodeOf(worker);
  const row = { key: 'aws-node-termination-handler/spot-itn' };
  t.teardown(async () => untaint(cluster, node, row.key));
  for (let turn = 0; turn < FLAPS; turn += 1) {
    await (turn % 2 === 0 ? taint(cluster, node, row) : untaint(cluster, node, row.key));
    await sleep(FLAP_MS);
  }
  t.deepEqual(await lossesAtCoordinator(cluster, run), []);
  const pods = await run.pods('worker');
  const most = Math.max(...pods.map(({ metadata }) => Number(metadata.labels?.['rollout.run/incarnation'])));
  t.log(`a place has been filled ${most + 1} times at most`);
  // A place is filled anew when the taint comes, or when it goes while its first worker is on its way out: once for each change at most.
  t.true(most <= FLAPS, `incarnation ${most}`);
  await run.assertComplete(t);
});

/** Prefers, for pods of the run, the nodes with others of its workers, and less so nodes without its coordinator. */
function together(name: string): object {
  const term = (component: string) => ({
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { 'rollout.run/run': name, 'app.kubernetes.io/component': component } },
  });
  return {
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term('worker') }] },
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: term('coordinator') }] },
  };
}

test.serial('kubectl drain of a node with three workers: it ends, and they work elsewhere', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'drained', items: 600, podSpec: { affinity: together('drained') } });
  const before = await run.workers();
  const [node = '', ...others] = new Set(before.map(nodeOf));
  t.deepEqual(others, [], 'all workers are on one node');
  t.teardown(async () => cluster.kubectl('uncordon', node));
  const begunMs = performance.now();
  const [, ...successors] = await Promise.all([
    cluster.kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s'),
    ...before.map(async (pod) => untilReplaced(t, run, pod)),
  ]);
  t.log(`the node is drained after ${Math.round(performance.now() - begunMs)} ms`);
  t.is(successors.length, before.length);
  await run.untilReady(before.length);
  t.false((await run.workers()).map(nodeOf).includes(node));
  await run.assertComplete(t);
});

/** As an eviction or a scaler does that leaves less time than the pod has asked for. */
async function evict(cluster: Cluster, { metadata }: Pod, gracePeriodSeconds: number): Promise<void> {
  await cluster.api.call('POST', `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: metadata.name },
    deleteOptions: { gracePeriodSeconds },
  });
}

test.serial(
  'without rights on nodes: an evicted worker hands back in the time that it has, one that is killed in its grace is lost',
  async (t) => {
    t.timeout(600_000);
    const cluster = await startCluster({ nodes: 3 });
    const namespace = await testNamespace(t, cluster);
    await installNamespaced(t, cluster, namespace);
    // None of them ends within the grace of the eviction, nor within the 15 s.
    const plan = { name: 'evicted', items: 12, latency: '35s', podSpec: { terminationGracePeriodSeconds: 600 } };
    const run = await ClusterRun.apply(cluster, namespace, plan);
    const { status } = await run.until('all items run', (now) => now.status?.items?.running === 12);
    t.is(conditionOf(status?.conditions ?? [], 'NodeSignalsAvailable')?.status, 'False');
    const [evicted, killed] = (await run.workers()) as [Pod, Pod, Pod];
    await cluster.api.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${killed.metadata.name}`);
    const deletedMs = performance.now();
    await evict(cluster, evicted, EVICTION_SECONDS);
    await Promise.all([untilReplaced(t, run, evicted), untilReplaced(t, run, killed)]);
    await sleep(deletedMs + KILLED_AFTER_MS - performance.now());
    killProcess('--worker-id', killed.metadata.name);
    const names = [evicted, killed].map(({ metadata }) => metadata.name);
    await untilSeen(
      'both are gone',
      2 * PATIENCE_MS,
      async () => [...(await statesAtCoordinator(cluster, run)).keys()],
      (known) => !known.some((name) => names.includes(name)),
    );
    const losses = (await lossesAtCoordinator(cluster, run)).filter(({ handedBack }) => handedBack > 0);
    t.deepEqual(
      losses.map(({ workerId, reason }) => `${workerId} ${reason}`),
      [`${killed.metadata.name} timeout`],
      'the other one has handed back in time what it had',
    );
    await run.assertComplete(t);
  },
);

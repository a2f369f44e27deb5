import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { conditionOf } from '../../operator/api/conditions.ts';
import type { RolloutRun } from '../../operator/api/run.ts';
import type { Pod } from '../../operator/kube/kind.ts';
import { auditedCalls } from '../support/cluster/audit.ts';
import { leaderIn, operatorPid, podOf } from '../support/cluster/leader.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator, OPERATOR_ACCOUNT } from '../support/cluster/operator.ts';
import { residentBytes } from '../support/cluster/process.ts';
import { ClusterRun, type RunPlan } from '../support/cluster/rollout-run.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/**
 * Two hundred runs of one operator. Ten of them work, each with a coordinator and a worker: two cores take two minutes to start twenty
 * more processes beside other tests. The others are those that pile up in a cluster: suspended, or waiting for their users.
 */
const SUSPENDED = 130;
const WAITING = 60;
const WORKING = 10;
/** What half of those that wait lack, and what the others. */
const [MAP, CLAIM] = ['no-map', 'no-claim'];
const ITEMS = 40;
const MOST_BYTES = 150 * 1024 * 1024;
/** Some do not answer before others that came later do. */
const SETTLED_MS = 10_000;
const QUIET_MS = 30_000;
/** Whoever has waited for so long is looked for again after a tenth of that. */
const WAITED_PART = 0.1;

function plansOf(name: string, count: number, spec: object): readonly RunPlan[] {
  const workers = { parallelism: 1, concurrency: 4 };
  return Array.from({ length: count }, (_, n) => ({
    name: `${name}-${n}`,
    items: ITEMS,
    spec: { backend: { type: 'mock' }, workers, ...spec },
  }));
}

/** How long the one that began to wait last has waited for its list. */
function shortestWaitMs(runs: readonly RolloutRun[], nowMs: number): number {
  const since = runs.map(({ status }) => conditionOf(status?.conditions ?? [], 'InputReady')).filter((ready) => ready?.status === 'False');
  return nowMs - Math.max(...since.map((ready) => Date.parse(ready?.lastTransitionTime ?? '')));
}

const isOver = ({ status }: RolloutRun): boolean => conditionOf(status?.conditions ?? [], 'Complete')?.status === 'True';

test.serial('two hundred runs: those that work complete, and of those that stand still nothing is asked', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster, 'runs.networkPolicy=true');
  const namespace = await testNamespace(t, cluster);
  const runs = (): Promise<readonly RolloutRun[]> => cluster.api.list(`/apis/rollout.run/v1alpha1/namespaces/${namespace}/rolloutruns`);
  const begunMs = performance.now();
  const since = (): number => Math.round(performance.now() - begunMs);
  const ofClaim = { input: { pvc: { claimName: CLAIM, path: 'items.jsonl' } } };
  await ClusterRun.applyAll(cluster, namespace, [...plansOf(MAP, WAITING / 2, {}), ...plansOf(CLAIM, WAITING / 2, ofClaim)], false);
  await ClusterRun.applyAll(cluster, namespace, plansOf('suspended', SUSPENDED, { suspend: true }));
  const working = await ClusterRun.applyAll(cluster, namespace, plansOf('working', WORKING, {}));
  await untilSeen(
    'each run has a status',
    2 * PATIENCE_MS,
    async () => (await runs()).filter(({ status }) => status?.observedGeneration === undefined).map(({ metadata }) => metadata.name),
    (without) => without.length === 0,
  );
  t.log(`each of ${SUSPENDED + WAITING + WORKING} runs has a status after ${since()} ms`);
  await untilSeen(
    'all runs that work are complete',
    4 * PATIENCE_MS,
    async () => (await runs()).filter(isOver).map(({ metadata }) => metadata.name),
    (over) => over.length === WORKING,
  );
  t.log(`${WORKING} of them are complete after ${since()} ms`);
  const ends = (await runs()).filter(isOver).map(({ status }) => Date.parse(status?.completionTime ?? ''));
  t.log(`the last of them ${Math.round((Math.max(...ends) - Math.min(...ends)) / 1_000)} s after the first`);
  await working.at(-1)?.assertComplete(t);
  const bytes = residentBytes(operatorPid(podOf(await leaderIn(cluster))));
  t.log(`the operator has ${Math.round(bytes / 1024 / 1024)} MiB in memory`);
  t.true(bytes < MOST_BYTES, `${bytes} bytes`);

  await untilSeen(
    'no pod is left',
    2 * PATIENCE_MS,
    async () => (await cluster.api.list<Pod>(`/api/v1/namespaces/${namespace}/pods`)).map(({ metadata }) => metadata.name),
    (pods) => pods.length === 0,
  );
  await sleep(SETTLED_MS);
  const fromMs = Date.now();
  const waitedMs = shortestWaitMs(await runs(), fromMs);
  await sleep(QUIET_MS);
  const calls = auditedCalls(OPERATOR_ACCOUNT).filter(({ atMs, namespace: of }) => atMs >= fromMs && of === namespace);
  const looks = calls.filter(({ verb, name }) => verb === 'get' && (name.startsWith(MAP) || name === CLAIM));
  t.deepEqual(
    calls.filter((call) => !looks.includes(call)),
    [],
  );
  const most = Math.ceil(QUIET_MS / (waitedMs * WAITED_PART)) + 1;
  t.log(`${looks.length} looks for ${WAITING} lists in ${QUIET_MS} ms, after ${waitedMs} ms of waiting`);
  t.true(looks.length > 0 && looks.length <= most * WAITING, `${looks.length} looks, at most ${most} for each list`);
});

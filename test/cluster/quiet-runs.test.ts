import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { auditedCalls, writesIn } from '../support/cluster/audit.ts';
import { OPERATOR_ACCOUNT } from '../support/cluster/operator.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { workingRun } from '../support/cluster/working-run.ts';

const MINUTE_MS = 60_000;
/** Some do not answer before others that came later do. */
const SETTLED_MS = 10_000;

test.serial('nothing is written about runs that have ended, are suspended, have no worker or are of another controller', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'ended', items: 20, parallelism: 1 });
  if (!cluster.isOwn) return t.pass('only the cluster of the tests writes down the calls');
  const { namespace } = run;
  const still = await ClusterRun.apply(cluster, namespace, { name: 'still', items: 400, parallelism: 1 });
  const suspended = await ClusterRun.apply(cluster, namespace, { name: 'suspended', items: 10, spec: { suspend: true } });
  await ClusterRun.apply(cluster, namespace, { name: 'foreign', items: 10, spec: { managedBy: 'example.com/other' } });
  await still.untilRecorded(10);
  await still.patch({ spec: { workers: { parallelism: 0 } } });
  await suspended.untilCondition('Suspended', 'True');
  await still.until('no worker is left', ({ status }) => status?.workers?.current === 0 && status.workers.draining === 0);
  await run.assertComplete(t);
  await run.untilNoPods();
  await sleep(SETTLED_MS);
  const fromMs = Date.now();
  await sleep(MINUTE_MS);
  const calls = auditedCalls(OPERATOR_ACCOUNT).filter(({ atMs, namespace: of }) => atMs >= fromMs && of === namespace);
  t.deepEqual(writesIn(calls), []);
  t.true(calls.filter(({ verb }) => verb === 'get').length <= 2, 'and next to nothing is asked');
  const events = await cluster.api.list<{
    readonly reason: string;
    readonly series?: object;
    readonly regarding: { readonly name: string };
  }>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  const ofEnd = events.filter(({ regarding, reason }) => regarding.name === 'ended' && reason === 'AllItemsDone');
  t.deepEqual(
    ofEnd.map(({ series }) => series),
    [undefined],
    'the end is one event, once',
  );
});

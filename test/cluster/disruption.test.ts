import test from 'ava';
import { killProcess } from '../support/cluster/process.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { REPLACED_MS, untilReplaced, workingRun } from '../support/cluster/working-run.ts';
import { PATIENCE_MS } from '../support/until.ts';

test.serial(
  'a worker that is deleted is replaced, one that is killed starts again beside its outbox, and each item has one record',
  async (t) => {
    const { cluster, run } = await workingRun(t, { name: 'hit', items: 400 });
    const [deleted, killed] = await run.workers();
    if (deleted === undefined || killed === undefined) return t.fail('two workers do not run');
    await cluster.api.call('DELETE', `/api/v1/namespaces/${run.namespace}/pods/${deleted.metadata.name}`);
    killProcess('--worker-id', killed.metadata.name);
    await untilReplaced(t, run, deleted);
    await untilSeen(
      'the container of the other one has been started again',
      REPLACED_MS,
      async () => (await run.pods('worker')).find(({ metadata }) => metadata.name === killed.metadata.name) ?? null,
      (pod) =>
        pod?.status?.containerStatuses?.some(({ restartCount, state }) => restartCount === 1 && state?.running !== undefined) === true,
    );
    await run.assertComplete(t);
  },
);

test.serial('a node that is gone without a word: its workers are replaced, and what they had runs again', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'lost', items: 900 });
  const [coordinator] = await run.pods('coordinator');
  const worker = (await run.workers()).find(({ spec }) => spec?.nodeName !== coordinator?.spec?.nodeName);
  if (worker === undefined) return t.fail('all workers are on the node of the coordinator');
  await cluster.killNode(t, worker.spec?.nodeName ?? '');
  // The cluster itself takes 15 s to count a silent node as lost.
  await untilReplaced(t, run, worker);
  const { status } = await run.assertComplete(t);
  t.log(`${status?.items?.redone} items were executed again`);
});

test.serial('the coordinator is killed in mid-run, and its pod deleted: the run goes on under the next epoch', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'headless', items: 600 });
  for (const epoch of [1, 2]) {
    const [coordinator] = await run.pods('coordinator');
    await cluster.api.call('DELETE', `/api/v1/namespaces/${run.namespace}/pods/${coordinator?.metadata.name}`);
    await run.until(`epoch ${epoch}`, ({ status }) => (status?.coordinator?.epoch ?? 0) >= epoch, 2 * PATIENCE_MS);
    await run.untilCondition('CoordinatorAvailable', 'True');
  }
  await run.assertComplete(t);
});

test.serial('the node of the coordinator is gone: on a volume that other nodes reach the run goes on elsewhere', async (t) => {
  const store = { embedded: { storageClassName: 'test-network' } };
  const { cluster, run } = await workingRun(t, { name: 'moved', items: 900, spec: { coordinator: { store } } });
  const [coordinator] = await run.pods('coordinator');
  const begunMs = performance.now();
  await cluster.killNode(t, coordinator?.spec?.nodeName ?? '');
  await run.until('the next epoch', ({ status }) => (status?.coordinator?.epoch ?? 0) >= 1, 2 * PATIENCE_MS);
  t.log(`another coordinator leads after ${Math.round(performance.now() - begunMs)} ms`);
  await run.assertComplete(t);
});

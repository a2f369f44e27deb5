import test from 'ava';
import { killProcess } from '../support/cluster/process.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { REPLACED_MS, untilReplaced, workingRun } from '../support/cluster/working-run.ts';

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

test.serial('the coordinator is killed in mid-run, and its pod deleted: the run goes on under the next epoch', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'headless', items: 600 });
  for (const epoch of [1, 2]) {
    const [coordinator] = await run.pods('coordinator');
    await cluster.api.call('DELETE', `/api/v1/namespaces/${run.namespace}/pods/${coordinator?.metadata.name}`);
    await run.until(`epoch ${epoch}`, ({ status }) => (status?.coordinator?.epoch ?? 0) >= epoch);
    await run.untilCondition('CoordinatorAvailable', 'True');
  }
  await run.assertComplete(t);
});

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import test from 'ava';
import { testNamespace } from '../support/cluster/namespace.ts';
import { claimOf, DATA, startPod } from '../support/cluster/pod.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** That the cluster takes the loss of its API and of a node as the tests on it rely on. */

/** Shorter than what a node may be silent for. */
const AWAY_MS = 5_000;
const cluster = await startCluster({ nodes: 3 });
/** As a platform draws one that gives each namespace users of its own. */
const anyUser = (): number => randomInt(10_000, 2 ** 31);

test('pods go on while nobody answers for the API, and all is there when it answers again', async (t) => {
  const namespace = await testNamespace(t, cluster);
  const tick = `setInterval(() => fs.appendFileSync('${DATA}/ticks', '.'), 100)`;
  await cluster.applyYaml(namespace, claimOf('data'));
  const security = { runAsUser: anyUser(), runAsGroup: anyUser(), fsGroup: anyUser() };
  await startPod(cluster, namespace, { name: 'ticking', claim: 'data', command: ['node', '-e', tick], security });
  await cluster.kubectl('wait', '--namespace', namespace, '--for=condition=Ready', '--timeout=120s', 'pod/ticking');
  const ticks = async (): Promise<number> => {
    const read = `console.log(fs.statSync('${DATA}/ticks', { throwIfNoEntry: false })?.size ?? 0)`;
    return Number(await cluster.kubectl('exec', '--namespace', namespace, 'ticking', '--', 'node', '-e', read));
  };
  const before = await ticks();

  await cluster.stopApi(t);
  await t.throwsAsync(cluster.api.call('GET', '/api/v1/nodes'));
  await sleep(AWAY_MS);
  await cluster.startApi();
  const after = await ticks();
  t.true(after - before > AWAY_MS / 200, `${before} ticks, then ${after}`);
  const pod = await cluster.api.call<V1Pod>('GET', `/api/v1/namespaces/${namespace}/pods/ticking`);
  t.deepEqual(
    pod.status?.containerStatuses?.map(({ restartCount }) => restartCount),
    [0],
  );
});

test('a node that is killed counts as lost, ends nothing of the others, and comes back', async (t) => {
  t.timeout(10 * 60_000);
  const namespace = await testNamespace(t, cluster);
  const [lost = '', other = ''] = (await cluster.nodes()).map(({ metadata }) => metadata?.name ?? '').toReversed();
  const command = ['node', '-e', 'setInterval(() => {}, 1000)'];
  for (const node of [lost, other]) await startPod(cluster, namespace, { name: `on-${node}`, node, command });
  const pods = (): Promise<readonly V1Pod[]> => cluster.api.list<V1Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const standing = async (): Promise<readonly string[]> =>
    (await pods()).map(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
      return `${metadata?.name} ${status?.phase} ${ready}`;
    });
  const both = (ofLost: string): readonly string[] => [`on-${lost} Running ${ofLost}`, `on-${other} Running True`].toSorted();
  const are = (wanted: readonly string[]) => (seen: readonly string[]) => seen.toSorted().join() === wanted.join();
  await untilSeen('both pods are ready', PATIENCE_MS, standing, are(both('True')));

  await cluster.killNode(t, lost);
  await cluster.untilNode(lost, 'Unknown');
  await untilSeen('one pod is not ready any more', PATIENCE_MS, standing, are(both('False')));
  await cluster.untilNode(other, 'True');
  t.false((await cluster.readyNodes()).includes(lost));
  await cluster.startNode(lost);
  t.true((await cluster.readyNodes()).includes(lost));
});

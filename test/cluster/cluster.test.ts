import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import test from 'ava';
import { testNamespace } from '../support/cluster/namespace.ts';
import { claimOf, DATA, runPod } from '../support/cluster/pod.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** That the cluster does what the tests on it rely on. */

const NODES = 3;
const cluster = await startCluster({ nodes: NODES });
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
/** As a platform draws one that gives each namespace users of its own. */
const anyUser = (): number => randomInt(10_000, 2 ** 31);

const APPEND = [
  'node',
  '-e',
  `const f = '${DATA}/kept'; fs.appendFileSync(f, process.getuid() + ' '); console.log(fs.readFileSync(f, 'utf8'))`,
];

test('three nodes are ready', async (t) => {
  const ready = await cluster.readyNodes();
  t.true(ready.length >= NODES, ready.join(' '));
});

test('the product runs from its image on every node, as a user of its own, under the restricted standard', async (t) => {
  const namespace = await testNamespace(t, cluster);
  for (const { metadata } of await cluster.nodes()) {
    const node = metadata?.name ?? '';
    const plan = { name: `version-${node}`, node, command: ['node', '/app/cli.js', 'version'] };
    t.deepEqual(await runPod(cluster, namespace, plan), { exit: 0, said: `rollout ${version}\n` }, node);
  }
});

test('each launcher of the image starts its process', async (t) => {
  const namespace = await testNamespace(t, cluster);
  for (const name of ['coordinator', 'worker']) {
    const { exit, said } = await runPod(cluster, namespace, { name, command: ['node', `/app/${name}.js`, '--help'] });
    t.is(exit, 0, said);
    t.regex(said, /--config/);
  }
});

test('a pod reaches a service by its name', async (t) => {
  const namespace = await testNamespace(t, cluster);
  // Whoever has no certificate may ask for the version alone.
  const ask =
    "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch('https://kubernetes.default.svc/version').then(async (r) => console.log(r.status, (await r.json()).major))";
  t.deepEqual(await runPod(cluster, namespace, { name: 'client', command: ['node', '--no-warnings', '-e', ask] }), {
    exit: 0,
    said: '200 1\n',
  });
});

test('a volume keeps what was written when its pod is replaced by one with another user of the same group', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.applyYaml(namespace, claimOf('data'));
  const [first, second, fsGroup] = [anyUser(), anyUser(), anyUser()];
  const asUser = (user: number) => ({ runAsUser: user, runAsGroup: user, fsGroup });
  const written = await runPod(cluster, namespace, { name: 'first', claim: 'data', command: APPEND, security: asUser(first) });
  t.deepEqual(written, { exit: 0, said: `${first} \n` });
  await cluster.kubectl('delete', 'pod', 'first', '--namespace', namespace);
  const read = { name: 'second', claim: 'data', command: ['node', '-e', `console.log(fs.readFileSync('${DATA}/kept', 'utf8'))`] };
  t.deepEqual(await runPod(cluster, namespace, { ...read, security: asUser(second) }), { exit: 0, said: `${first} \n` });
});

test('a volume of the network goes with its pod to another node', async (t) => {
  const namespace = await testNamespace(t, cluster);
  // In kind every volume is a node's own, so there it stays.
  await cluster.applyYaml(namespace, claimOf('data', cluster.isOwn ? 'storageClassName: test-network' : ''));
  const [from = '', to = ''] = (await cluster.nodes()).map(({ metadata }) => metadata?.name ?? '');
  const user = anyUser();
  const security = { runAsUser: user, runAsGroup: user, fsGroup: user };
  for (const [nth, node] of [from, cluster.isOwn ? to : from].entries()) {
    const { exit, said } = await runPod(cluster, namespace, { name: `on-${nth}`, node, claim: 'data', command: APPEND, security });
    t.deepEqual({ exit, said }, { exit: 0, said: `${`${user} `.repeat(nth + 1)}\n` });
  }
});

test('a volume belongs to nobody but root until a pod names its group', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.applyYaml(namespace, claimOf('data'));
  const uid = anyUser();
  const { exit, said } = await runPod(cluster, namespace, {
    name: 'stranger',
    claim: 'data',
    command: ['node', '-e', `try { fs.writeFileSync('${DATA}/x', ''); console.log('written') } catch (error) { console.log(error.code) }`],
    security: { runAsUser: uid, runAsGroup: uid },
  });
  // The volumes of kind may be written by everybody.
  t.deepEqual({ exit, said }, { exit: 0, said: cluster.isOwn ? 'EACCES\n' : 'written\n' });
});

test('a volume is removed with its claim', async (t) => {
  const namespace = await testNamespace(t, cluster);
  await cluster.applyYaml(namespace, claimOf('data'));
  await runPod(cluster, namespace, { name: 'user', claim: 'data', command: ['node', '-e', ''] });
  await cluster.kubectl('delete', 'pod', 'user', '--namespace', namespace);
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data`;
  const { spec } = await cluster.api.call<V1PersistentVolumeClaim>('GET', path);
  const volume = `/api/v1/persistentvolumes/${spec?.volumeName}`;
  t.is((await cluster.api.find<V1PersistentVolume>(volume))?.status?.phase, 'Bound');
  await cluster.api.call('DELETE', path);
  t.is(
    await untilSeen(
      'the volume is removed',
      PATIENCE_MS,
      () => cluster.api.find(volume),
      (seen) => seen === null,
    ),
    null,
  );
});

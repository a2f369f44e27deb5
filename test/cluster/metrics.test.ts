import test from 'ava';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator, OPERATOR_NAMESPACE } from '../support/cluster/operator.ts';
import { runPod } from '../support/cluster/pod.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';

const ADDRESS = `rollout-operator-metrics.${OPERATOR_NAMESPACE}.svc`;
const READER = `${OPERATOR_NAMESPACE}-rollout-operator-metrics-reader`;

/** Asks with the token that is its last argument, and prints the status and the page. */
const ASK = `
const [token] = process.argv.slice(-1);
const headers = token === 'none' ? {} : { authorization: 'Bearer ' + token };
require('node:https').get({ host: '${ADDRESS}', port: 8443, path: '/metrics', headers, rejectUnauthorized: false }, (answer) => {
  console.log(answer.statusCode);
  answer.pipe(process.stdout);
}).on('error', (error) => console.log(String(error)));`;

async function tokenOf(cluster: Cluster, namespace: string, account: string): Promise<string> {
  await cluster.kubectl('create', 'serviceaccount', account, '--namespace', namespace);
  return (await cluster.kubectl('create', 'token', account, '--namespace', namespace)).trim();
}

test.serial('metrics: over TLS, to an account that may get them, and to no other', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 1 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const ask = async (name: string, token: string): Promise<string> =>
    (await runPod(cluster, namespace, { name, command: ['node', '-e', ASK, token] })).said;
  t.regex(await ask('nobody', 'none'), /^401\n.*has to show a token/);
  t.regex(await ask('stranger', 'no-such-token'), /^401\n.*does not know this token/);
  t.regex(await ask('plain', await tokenOf(cluster, namespace, 'plain')), /^403\n.*:plain may not get \/metrics/);
  const token = await tokenOf(cluster, namespace, 'collector');
  const binding = `${namespace}-collector`;
  t.teardown(() => cluster.kubectl('delete', 'clusterrolebinding', binding));
  await cluster.kubectl('create', 'clusterrolebinding', binding, `--clusterrole=${READER}`, `--serviceaccount=${namespace}:collector`);
  const page = await ask('collector', token);
  t.regex(page, /^200\n/);
  for (const line of [
    /^rollout_operator_info\{version="[\d.]+"\} 1$/m,
    /^rollout_runs\{phase="Running"\} \d+$/m,
    /^workqueue_depth\{name="rolloutrun"\} \d+$/m,
  ])
    t.regex(page, line);
});

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { RolloutRun } from '../../operator/api/run.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

interface Printed {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** `kubectl rollout-run`, as the plugin is started. */
async function rolloutRun(cluster: Cluster, ...args: readonly string[]): Promise<Printed> {
  const child = spawn(process.execPath, ['runtime/kubectl.js', '--kubeconfig', cluster.kubeconfig, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [exit, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { exit, out, err };
}

async function untilComplete(cluster: Cluster, namespace: string, name: string): Promise<RolloutRun> {
  const path = `/apis/rollout.run/v1alpha1/namespaces/${namespace}/rolloutruns/${name}`;
  return untilSeen(
    `${name} is complete`,
    2 * PATIENCE_MS,
    async () => cluster.api.call<RolloutRun>('GET', path),
    (run) => run.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') === true,
  );
}

test('the example: ten items from kubectl apply to a verified file', async (t: ExecutionContext) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster, 'privileged');
  await cluster.applyYaml(namespace, readFileSync('examples/rolloutrun.yaml', 'utf8'));
  const run = await untilComplete(cluster, namespace, 'example');
  t.like(run.status, { phase: 'Complete', progress: '10/10', items: { total: 10, done: 10, failed: 0 } });
  const { exit, out, err } = await rolloutRun(cluster, '--namespace', namespace, 'results', 'example');
  t.is(exit, 0, err);
  t.regex(err, /each line of the input is in exactly one of the two files/);
  const ids = out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
  t.deepEqual(
    ids,
    Array.from({ length: 10 }, (_, at) => `question-${at + 1}`),
  );
});

import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { parse, stringify } from 'yaml';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { scratch } from '../support/scratch.ts';

/** docs/kubernetes.md, pasted block by block, from the chart to verified results. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Those that say more than `sh` are for people: they make another cluster, wait for ever, or install things. */
function blocksOf(page: string): readonly string[] {
  const [, section = ''] = /^## From an empty cluster to results$(.*?)^## /ms.exec(page) ?? [];
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** A folder that looks like a copy of the project, with the plugin of kubectl in the PATH. */
function project(t: ExecutionContext): string {
  const dir = scratch(t);
  for (const name of ['charts', 'examples']) symlinkSync(join(ROOT, name), join(dir, name));
  const plugin = join(dir, 'kubectl-rollout_run');
  writeFileSync(plugin, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'runtime/kubectl.js')}" "$@"\n`);
  chmodSync(plugin, 0o755);
  return dir;
}

/** As `kubectl config set-context --current --namespace` leaves it. */
function kubeconfigOf({ kubeconfig }: Cluster, namespace: string, dir: string): string {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as { readonly contexts: readonly { readonly context: Record<string, string> }[] };
  for (const { context } of config.contexts) context['namespace'] = namespace;
  const path = join(dir, 'kubeconfig');
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

async function paste(block: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ readonly exit: number | null; readonly said: string }> {
  const child = spawn('sh', ['-eu', '-c', block], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [exit, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { exit, said: said.join('') };
}

test.serial('the commands of the page lead from the chart to verified results', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 1 });
  // With the image as it is built now; the page's own command then finds the release.
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster, 'privileged');
  const dir = project(t);
  const env = {
    ...process.env,
    PATH: [cluster.programs, dir, process.env['PATH'] ?? ''].filter((one) => one !== '').join(':'),
    KUBECONFIG: kubeconfigOf(cluster, namespace, dir),
  };
  const blocks = blocksOf(readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8'));
  t.is(blocks.length, 5);
  for (const block of blocks) {
    const { exit, said } = await paste(block, dir, env);
    t.log(block.trim(), said.trim());
    t.is(exit, 0, `${block}${said}`);
  }
  const ids = readFileSync(join(dir, 'answers.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
  t.deepEqual(
    ids,
    Array.from({ length: 10 }, (_, at) => `question-${at + 1}`),
  );
});

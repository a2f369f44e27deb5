/**
 * `make cluster-up`: a cluster on this machine, which runs until `make cluster-down`; NODES=3 so many nodes. Tests of test/cluster find it
 * there, so that one of them can be run again and again. `make cluster-down` ends it and removes all that it had, and what a killed
 * `make test` has left of its second one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_RUN, CLUSTERS, clusterEnvironment, clusterRun, runScript } from '../test/support/cluster/scripts.ts';
import { bringUp } from './bring-up.ts';

const DEFAULT_NODES = 3;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const [, , act] = process.argv;
try {
  if (act === 'up') await up();
  else if (act === 'down') await down();
  else throw new Error('usage: node scripts/cluster.ts up|down');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function up(): Promise<void> {
  await bringUp({ number: 0, holder: 0, nodes: Number(process.env['NODES'] ?? DEFAULT_NODES), say });
  const programs = await runScript('build.sh', ['where']);
  say(`export KUBECONFIG=${join(CLUSTER_RUN, 'kubeconfig')} PATH=${programs}:$PATH`);
}

async function down(): Promise<void> {
  for (const number of CLUSTERS)
    if (number === 0 || existsSync(clusterRun(number)))
      await runScript('down.sh', ['--wipe'], { env: clusterEnvironment(number), onLine: say });
}

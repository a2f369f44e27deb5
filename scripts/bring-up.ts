import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage } from '../test/cluster/image.ts';
import { type ClusterNumber, clusterEnvironment, KUBERNETES, runScript } from '../test/support/cluster/scripts.ts';
import { type ClusterFacts, missingForCluster } from './cluster-needs.ts';
import { CLUSTER_PACKAGES, installSystemPackages } from './system-packages.ts';

export interface BringUp {
  readonly number: ClusterNumber;
  /** The process that ends the cluster; 0: it runs until somebody ends it by hand. */
  readonly holder: number;
  readonly nodes: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds a cluster's programs and the product's image, unless they are there, and starts the cluster, or what is missing of it. Needs a
 * tree that is built. Throws where the machine cannot, with what is missing.
 */
export async function bringUp({ number, holder, nodes, say, ...stop }: BringUp): Promise<void> {
  const missing = missingForCluster(await factsOfMachine(say));
  if (missing.length > 0) throw new Error(`a cluster needs ${missing.join('; ')}. Without one: ROLLOUT_TEST_CLUSTER=none`);
  const options = { onLine: say, ...stop };
  const [image] = await Promise.all([buildImage(say), runScript('build.sh', [], options)]);
  const env = { ...clusterEnvironment(number), CLUSTER_HOLDER: String(holder), CLUSTER_NODES: String(nodes), CLUSTER_IMAGES: image };
  await runScript('up.sh', [], { ...options, env });
}

/** Installs packages where it may, but none where they would not help. */
async function factsOfMachine(say: (line: string) => void): Promise<ClusterFacts> {
  const uid = process.getuid?.();
  const canRun = process.platform === 'linux' && uid === 0;
  const missingPackages = canRun ? installSystemPackages(say, CLUSTER_PACKAGES) : [];
  const isBuilt = canRun && existsSync(await runScript('build.sh', ['where']));
  const tools = join(KUBERNETES, 'tools');
  const [, wantedGo = ''] = /^go (\S+)$/m.exec(readFileSync(join(tools, 'go.mod'), 'utf8')) ?? [];
  return { platform: process.platform, uid, missingPackages, isBuilt, go: goVersion(tools), wantedGo };
}

/** There, so that a Go that may fetch the version that go.mod names tells that one. */
function goVersion(folder: string): string | null {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

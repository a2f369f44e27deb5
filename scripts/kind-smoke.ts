/**
 * `make kind-smoke`: the tests of test/cluster on a cluster of kind, with the image that docker builds of the Dockerfile. For machines that
 * have docker, kind and kubectl. ROLLOUT_TEST_KEEP=1 leaves the cluster there.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE } from '../test/cluster/image.ts';
import { GIVEN_KUBECONFIG } from '../test/support/cluster/scripts.ts';

const NAME = 'rollout-smoke';
const NEEDED = ['docker', 'kind', 'kubectl'];

const missing = NEEDED.filter((command) => spawnSync(command, ['--help'], { stdio: 'ignore' }).status !== 0);
if (missing.length > 0) {
  process.stderr.write(`make kind-smoke needs ${missing.join(' and ')}\n`);
  process.exit(2);
}
const kubeconfig = join(mkdtempSync(join(tmpdir(), 'rollout-kind-')), 'kubeconfig');
process.exitCode = smoke() ? 0 : 1;
if (process.env['ROLLOUT_TEST_KEEP'] === '1') process.stdout.write(`kept: export KUBECONFIG=${kubeconfig}\n`);
else run('kind', 'delete', 'cluster', '--name', NAME);

function smoke(): boolean {
  return (
    run('docker', 'build', '--tag', IMAGE, '.') &&
    run('docker', 'image', 'ls', IMAGE) &&
    run('kind', 'create', 'cluster', '--name', NAME, '--config', 'kind-config.yaml', '--kubeconfig', kubeconfig, '--wait', '3m') &&
    run('kind', 'load', 'docker-image', IMAGE, '--name', NAME) &&
    run(process.execPath, 'scripts/run-tests.ts', 'test/cluster')
  );
}

/** Says what it runs. True where that went well. */
function run(command: string, ...args: readonly string[]): boolean {
  process.stdout.write(`+ ${command} ${args.join(' ')}\n`);
  const env = { ...process.env, [GIVEN_KUBECONFIG]: kubeconfig };
  return spawnSync(command, args, { stdio: 'inherit', env }).status === 0;
}

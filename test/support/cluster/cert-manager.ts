import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { temporaryDir } from '../temporary-dir.ts';
import { runScript } from './scripts.ts';
import type { Cluster } from './start-cluster.ts';

const SHOWN_LETTERS = 20_000;

/**
 * cert-manager for one test, as a process beside the cluster: its CRDs, and its controllers for self-signed and CA issuers. It is built
 * where it is not there, which takes minutes.
 */
export async function startCertManager(t: ExecutionContext, cluster: Cluster): Promise<void> {
  const programs = await runScript('build.sh', ['cert-manager']);
  const crds = join(programs, 'crds');
  await cluster.kubectl('apply', '--server-side', '-f', crds);
  await cluster.kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', crds);
  const log = join(temporaryDir(t), 'cert-manager.log');
  const file = openSync(log, 'a');
  const child = spawn(join(programs, 'cert-manager'), ['-kubeconfig', cluster.kubeconfig], { stdio: ['ignore', file, file] });
  closeSync(file);
  const ended = once(child, 'close');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  t.teardown(async () => {
    process.off('exit', kill);
    kill();
    await ended;
    if (!t.passed) process.stderr.write(`${t.title}: what cert-manager said\n${readFileSync(log, 'utf8').slice(-SHOWN_LETTERS)}\n`);
  });
}

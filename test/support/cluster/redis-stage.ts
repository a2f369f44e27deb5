import { spawn } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { Redis } from 'ioredis';
import { freePort } from '../free-port.ts';
import { temporaryDir } from '../temporary-dir.ts';
import { testNamespace } from './namespace.ts';
import { installOperator } from './operator.ts';
import { MACHINE_ADDRESS } from './scripts.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const PASSWORD = 'for-this-test-alone';

interface Beside {
  readonly url: string;
  readonly client: Redis;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
}

/** A server beside the cluster, as most users have theirs. */
async function redisBeside(t: ExecutionContext): Promise<Beside> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', MACHINE_ADDRESS, '--requirepass', PASSWORD, '--dir', temporaryDir(t), '--save', ''];
  const server = spawn('redis-server', [...args, '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: 'ignore' });
  const client = new Redis(port, MACHINE_ADDRESS, { password: PASSWORD, lazyConnect: true });
  client.on('error', () => undefined);
  t.teardown(() => {
    client.disconnect();
    server.kill('SIGKILL');
  });
  return { url: `redis://${MACHINE_ADDRESS}:${port}`, client, signal: (name) => void server.kill(name) };
}

interface Stage extends Beside {
  readonly cluster: Cluster;
  readonly namespace: string;
}

/** A namespace with the Secret of a server of its own; null where the pods of the cluster may not reach a server of this machine. */
export async function redisStage(t: ExecutionContext): Promise<Stage | null> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  if (!cluster.isOwn) {
    t.pass('the pods of this cluster may not reach a server of this machine');
    return null;
  }
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const beside = await redisBeside(t);
  const stringData = { url: beside.url, password: PASSWORD };
  await cluster.applyYaml(namespace, JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'redis' }, stringData }));
  return { ...beside, cluster, namespace };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { SECRET, type Secret } from '../../../operator/kube/kind.ts';
import { TLS_ROLES, type TlsRole, tlsName } from '../../../operator/rollout/children.ts';
import { tlsVolume } from '../../../operator/rollout/desired/container.ts';
import { temporaryDir } from '../temporary-dir.ts';
import type { MemoryCluster } from './memory-cluster.ts';

/** The Secrets of a run's certificates, as its operator and its pods have them. */

export function secretIn(cluster: MemoryCluster, name: string): Secret | null {
  return cluster.find(SECRET, { namespace: 'team', name });
}

/** Those that the operator's cache has. */
export function secretsOf(cluster: MemoryCluster): ReadonlyMap<string, Secret> {
  const found = TLS_ROLES.map((role) => secretIn(cluster, tlsName('answers', role))).filter((secret) => secret !== null);
  return new Map(found.map((secret) => [secret.metadata.name, secret]));
}

/** A directory that has what the kubelet mounts of the Secret of a role. */
export function mounted(t: ExecutionContext, cluster: MemoryCluster, role: TlsRole): string {
  const dir = join(temporaryDir(t), role);
  mkdirSync(dir);
  const { data = {} } = secretIn(cluster, tlsName('answers', role)) ?? {};
  for (const { key, path } of tlsVolume('answers', role).secret?.items ?? [])
    writeFileSync(join(dir, path), Buffer.from(data[key] ?? '', 'base64'));
  return dir;
}

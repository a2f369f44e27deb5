import type { ExecutionContext } from 'ava';
import { redisServer } from './redis-server.ts';

/** The stores on which a run shows the same. */
export const STORES = ['embedded', 'redis'] as const;
export type StoreKind = (typeof STORES)[number];

export interface TestStore {
  readonly kind: StoreKind;
  /** Of `rollout run`. */
  readonly args: readonly string[];
  /** The block `store` of coordinator.yaml. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A redis-server of the test's own, or nothing but the state directory. */
export async function testStore(t: ExecutionContext, kind: StoreKind): Promise<TestStore> {
  if (kind === 'embedded') return { kind, args: [], settings: { embedded: {} } };
  const server = await redisServer(t);
  return { kind, args: ['--redis', server.url], settings: { redis: server.url } };
}

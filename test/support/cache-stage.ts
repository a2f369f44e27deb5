import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { createInformer, type Informer, type InformerOptions } from '../../operator/kube/informer.ts';
import { POD, type Pod } from '../../operator/kube/kind.ts';
import type { Change } from '../../operator/kube/store.ts';
import { createTransport } from '../../operator/kube/transport.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import { ApiEdge } from './api-edge.ts';
import { edgeCredentials } from './edge-config.ts';
import { ManualClock } from './manual-clock.ts';
import { PATIENCE_MS, until } from './until.ts';

export interface CacheStage {
  readonly edge: ApiEdge;
  readonly informer: Informer<Pod>;
  readonly clock: ManualClock;
  readonly changes: Change<Pod>[];
  readonly restarts: string[];
  readonly skipped: () => number;
}

/** A cache of pods that follows an API server of the test's own, by a clock that stands still. */
export async function cacheStage(
  t: ExecutionContext,
  names: readonly string[] = [],
  more: Partial<InformerOptions<Pod>> = {},
): Promise<CacheStage> {
  const edge = new ApiEdge('Pod');
  for (const name of names) edge.put(name);
  const credentials = edgeCredentials(await edge.start(t));
  const clock = new ManualClock();
  const transport = createTransport({ credentials, clock, userAgent: 'test' });
  const restarts: string[] = [];
  let skipped = 0;
  const observer = {
    onList: () => undefined,
    onRestart: (reason: string) => restarts.push(reason),
    onSkipped: () => {
      skipped += 1;
    },
  };
  const informer = createInformer({
    transport,
    kind: POD,
    scope: { namespace: null },
    firstList: 'cached',
    isFrozen: true,
    clock,
    random: seededRandom(1),
    log: silentLog,
    observer,
    ...more,
  });
  const changes: Change<Pod>[] = [];
  informer.addHandler((change) => changes.push(change));
  t.teardown(async () => {
    await informer.stop();
    transport.close();
  });
  return { edge, informer, clock, changes, restarts, skipped: () => skipped };
}

export async function startedCache(
  t: ExecutionContext,
  names: readonly string[] = [],
  more: Partial<InformerOptions<Pod>> = {},
): Promise<CacheStage> {
  const made = await cacheStage(t, names, more);
  made.informer.start();
  await watching(made);
  return made;
}

export async function watching({ edge }: CacheStage): Promise<void> {
  await until('a watch is open', PATIENCE_MS, () => edge.openWatches === 1);
}

/** Whether the cache has exactly what the server has. */
export function isEqual({ edge, informer }: CacheStage): boolean {
  const versions = new Map([...informer.store.list()].map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  return (
    versions.size === edge.objects.size &&
    [...edge.objects].every(([name, { metadata }]) => versions.get(name) === metadata.resourceVersion)
  );
}

export async function equal(made: CacheStage): Promise<void> {
  await until('the cache is equal to the server', PATIENCE_MS, () => isEqual(made));
}

/** Time passes, a second at once, with some real time for the sockets. */
export async function pass({ clock }: CacheStage, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 1) {
    await clock.advance(1_000);
    await sleep(5);
  }
}

export async function passing(made: CacheStage, what: string, isThere: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isThere()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await pass(made, 1);
  }
}

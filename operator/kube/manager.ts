import { aborted, onAbort } from '../../runtime/base/abort.ts';
import type { Clock } from '../../runtime/base/clock.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Leading } from './elector.ts';
import type { Endpoint } from './endpoint.ts';
import type { Check } from './probes.ts';
import type { Recorder } from './recorder.ts';

export interface ManagerParts {
  /** Pages of probes and metrics: they answer from the first moment to the last. */
  readonly endpoints: readonly (() => Promise<Endpoint>)[];
  readonly caches: readonly ManagedCache[];
  /** Resolves when this process leads, or with null when the signal aborts. Null where there is no election. */
  readonly lead: ((stop: AbortSignal) => Promise<Leading | null>) | null;
  readonly controllers: readonly ManagedController[];
  readonly recorder: Pick<Recorder, 'stop'>;
  /** Ends every connection to the API server. */
  readonly disconnect: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ManagedCache {
  readonly kind: { readonly kind: string };
  start(): void;
  stop(): Promise<void>;
  hasSynced(): boolean;
  synced(limitMs: number): Promise<boolean>;
}

export interface ManagedController {
  readonly name: string;
  start(): void;
  stop(graceMs: number): Promise<boolean>;
  abort(): void;
}

/** 'lost': another process may lead, so this one ends at once. 'not-synced': the API server does not answer, or refuses. */
export type ManagerEnd = 'stopped' | 'lost' | 'not-synced';

/** A cache that has nothing after this has no prospect of it: to begin anew, with fresh credentials, is the best that is left. */
const SYNC_LIMIT_MS = 120_000;
/** What reconciles that are under way get to end. The grace period of the pod has to be longer than this and the next. */
export const DRAIN_MS = 30_000;
export const FLUSH_MS = 3_000;

/** Starts the parts in their order, waits for the end, and stops them in the reverse order. */
export async function manage(parts: ManagerParts, stop: AbortSignal): Promise<ManagerEnd> {
  const endpoints = await startEndpoints(parts);
  try {
    for (const cache of parts.caches) cache.start();
    const end = await run(parts, stop);
    if (end !== 'lost') await Promise.all(parts.caches.map((cache) => cache.stop()));
    return end;
  } finally {
    parts.disconnect();
    await Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  }
}

/** For `/readyz`. */
export function cachesCheck(caches: readonly Pick<ManagedCache, 'kind' | 'hasSynced'>[]): Check {
  return () => {
    const behind = caches.filter((cache) => !cache.hasSynced()).map(({ kind }) => kind.kind);
    return behind.length === 0 ? null : `not synced: ${behind.join(', ')}`;
  };
}

async function startEndpoints({ endpoints }: ManagerParts): Promise<readonly Endpoint[]> {
  const started: Endpoint[] = [];
  try {
    for (const start of endpoints) started.push(await start());
    return started;
  } catch (error) {
    await Promise.all(started.map((endpoint) => endpoint.stop()));
    throw error;
  }
}

async function run(parts: ManagerParts, stop: AbortSignal): Promise<ManagerEnd> {
  const { caches, lead, controllers, log } = parts;
  const synced = Promise.all(caches.map((cache) => cache.synced(SYNC_LIMIT_MS))).then((all) => all.every(Boolean));
  const hasSynced = await Promise.race([synced, aborted(stop).then(() => null)]);
  if (hasSynced === false) {
    log.error({ caches: cachesCheck(caches)() }, 'the caches have not synced');
    return 'not-synced';
  }
  const leading = hasSynced === null || lead === null ? null : await lead(stop);
  if (stop.aborted || (lead !== null && leading === null)) {
    await leading?.release();
    return 'stopped';
  }
  for (const controller of controllers) controller.start();
  await Promise.race([aborted(stop), ...(leading === null ? [] : [aborted(leading.lost)])]);
  return leading?.lost.aborted === true ? onLost(parts) : await onStop(parts, leading);
}

/** What is under way may still write, and another process may lead already. */
function onLost({ controllers, disconnect }: ManagerParts): ManagerEnd {
  for (const controller of controllers) controller.abort();
  disconnect();
  return 'lost';
}

/** The lead is given away when nothing is written in its name any more. */
async function onStop(parts: ManagerParts, leading: Leading | null): Promise<ManagerEnd> {
  const { controllers, recorder, log } = parts;
  if (leading !== null) onAbort(leading.lost, () => onLost(parts));
  const drained = await Promise.all(
    controllers.map(async (controller) => ({ name: controller.name, isIt: await controller.stop(DRAIN_MS) })),
  );
  const left = drained.filter(({ isIt }) => !isIt).map(({ name }) => name);
  if (left.length > 0) log.warn({ controllers: left }, 'reconciles are cut off');
  await recorder.stop(FLUSH_MS);
  // With a reconcile still under way the lease is left to run out.
  if (left.length === 0) await leading?.release();
  return 'stopped';
}

import { createInformer, type Informer } from '../../operator/kube/informer.ts';
import { CONFIG_MAP, type Kind, POD, type Pod } from '../../operator/kube/kind.ts';
import type { KubeObject } from '../../operator/kube/object.ts';
import { createTransport } from '../../operator/kube/transport.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { edgeCredentials } from './edge-config.ts';

/** A process that has two caches and nothing else: of pods and of config maps. Tells what it has and what memory it takes, once a second. */
const [pods = '', others = ''] = process.argv.slice(2);
const beforeBytes = process.memoryUsage.rss();

/** What a controller of pods looks at. */
function trimmed({ metadata, spec, status }: Pod): Pod {
  const { managedFields: _, annotations: __, ...kept } = metadata;
  return {
    metadata: kept,
    spec: { containers: [], ...(spec?.nodeName === undefined ? {} : { nodeName: spec.nodeName }) },
    ...(status === undefined ? {} : { status: { ...status, containerStatuses: [] } }),
  };
}

function cacheOf<T extends KubeObject>(server: string, kind: Kind<T>, trim: (object: T) => T): Informer<T> {
  const transport = createTransport({ credentials: edgeCredentials(server), clock: systemClock, userAgent: 'cache' });
  const observer = { onList: () => undefined, onRestart: () => undefined, onSkipped: () => undefined };
  const common = { clock: systemClock, random: systemRandom, log: silentLog, observer };
  const informer = createInformer<T>({ transport, kind, scope: { namespace: null }, firstList: 'consistent', trim, ...common });
  informer.start();
  return informer;
}

const caches = [cacheOf(pods, POD, trimmed), cacheOf(others, CONFIG_MAP, (object) => object)] as const;
systemClock.every(1_000, () => {
  const toMib = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const objects = caches.map(({ store }) => store.size);
  const newest = [...caches[0].store.list()].reduce((most, { metadata }) => Math.max(most, Number(metadata.resourceVersion)), 0);
  const told = { objects, newest, beforeMib: toMib(beforeBytes), rssMib: toMib(process.memoryUsage.rss()) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
});

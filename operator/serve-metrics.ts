import type { Clock } from '../runtime/base/clock.ts';
import type { Log } from '../runtime/base/log.ts';
import type { Random } from '../runtime/base/random.ts';
import type { KubeClient } from './kube/client.ts';
import { type Endpoint, type Protection, startEndpoint } from './kube/endpoint.ts';
import { createGuard } from './kube/guard.ts';
import type { Page } from './kube/page.ts';
import { followServingPair, ownServingPair, readServingPair } from './metrics/serving-pair.ts';
import type { MetricsSettings } from './settings.ts';

export interface MetricsParts {
  readonly settings: MetricsSettings;
  readonly client: Pick<KubeClient, 'create'>;
  /** Names that a certificate of the operator's own says. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Serves the page as the settings say: to this host alone, or over TLS to those whom the API server lets get it. */
export async function serveMetrics(parts: MetricsParts, page: () => Promise<Page>): Promise<Endpoint> {
  const { settings, log } = parts;
  const pages = { '/metrics': page };
  if (settings.mode === 'localhost') return startEndpoint({ host: '127.0.0.1', port: settings.port }, pages, log);
  return startEndpoint({ host: '', port: settings.port }, pages, log, await protectionOf(parts));
}

async function protectionOf({ settings, client, hosts, clock, random, log }: MetricsParts): Promise<Protection> {
  const guard = createGuard({ client, clock, log });
  const { tlsDir } = settings;
  if (tlsDir === undefined) {
    const pair = await ownServingPair(hosts, clock.wallMs(), random);
    return { pair, follow: () => ({ stop: () => undefined }), guard };
  }
  const pair = await readServingPair(tlsDir);
  return { pair, follow: (onPair) => followServingPair(tlsDir, pair, { clock, log }, onPair), guard };
}

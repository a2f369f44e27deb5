import { networkInterfaces } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import type { KubeClient } from '../../../operator/kube/client.ts';
import type { Endpoint } from '../../../operator/kube/endpoint.ts';
import { ownServingPair } from '../../../operator/metrics/serving-pair.ts';
import { serveMetrics } from '../../../operator/serve-metrics.ts';
import type { MetricsSettings } from '../../../operator/settings.ts';
import { systemClock } from '../../../runtime/base/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { systemRandom } from '../../../runtime/base/random.ts';
import { servedPage } from '../../support/served-page.ts';
import { writePair } from '../../support/served-pair.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const PAGE = { status: 200, contentType: 'text/plain', body: 'things 1\n' };
/** Knows one token, whose user may get everything. */
const client = {
  create: async (_kind: unknown, object: { readonly spec: { readonly token?: string } }) => ({
    ...object,
    status: 'token' in object.spec ? { authenticated: object.spec.token === 'good', user: { username: 'jane' } } : { allowed: true },
  }),
} as unknown as KubeClient;

async function started(t: ExecutionContext, settings: MetricsSettings): Promise<Endpoint> {
  const parts = { settings, client, hosts: ['operator-1'], clock: systemClock, random: systemRandom, log: silentLog };
  const endpoint = await serveMetrics(parts, async () => PAGE);
  t.teardown(() => endpoint.stop());
  return endpoint;
}

/** An address of this machine by which others reach it; null where it has none. */
function otherAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;
}

test('localhost: plain, and from this machine alone', async (t) => {
  const { port } = await started(t, { mode: 'localhost', port: 0 });
  t.is(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), PAGE.body);
  const address = otherAddress();
  if (address !== null) await t.throwsAsync(fetch(`http://${address}:${port}/metrics`));
});

test('secure: over TLS from everywhere, under a certificate of its own, for whom the API server lets in', async (t) => {
  const { port } = await started(t, { mode: 'secure', port: 0 });
  const page = await servedPage(port, '/metrics', 'good', otherAddress() ?? '127.0.0.1');
  t.like(page, { status: 200, body: PAGE.body });
  t.is(page.certificate.subjectaltname, 'DNS:operator-1');
  t.is((await servedPage(port, '/metrics')).status, 401);
  t.is((await servedPage(port, '/metrics', 'bad')).status, 401);
});

test('secure: the certificate that was brought is the one that is shown', async (t) => {
  const tlsDir = temporaryDir(t);
  await t.throwsAsync(started(t, { mode: 'secure', port: 0, tlsDir }), { code: 'CONFIG_INVALID' });
  writePair(tlsDir, await ownServingPair(['brought.example'], systemClock.wallMs(), systemRandom));
  const { port } = await started(t, { mode: 'secure', port: 0, tlsDir });
  t.is((await servedPage(port, '/metrics', 'good')).certificate.subjectaltname, 'DNS:brought.example');
});

import test, { type ExecutionContext } from 'ava';
import { ApiError } from '../../../../operator/kube/api-error.ts';
import { SECRET, type Secret } from '../../../../operator/kube/kind.ts';
import { CertManager } from '../../../../operator/rollout/cert-manager.ts';
import { CERTIFICATE } from '../../../../operator/rollout/cert-manager-kinds.ts';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { ISSUED_RUN, issuedAuthority, issuedSecrets } from '../../../support/operator/issued-secrets.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const APPLIED: readonly string[] = [
  'apply Certificate answers-ca',
  'apply Issuer answers-ca',
  'apply Certificate answers-coordinator-tls',
  'apply Certificate answers-worker-tls',
  'apply Certificate answers-client-tls',
];
const NONE: ReadonlyMap<string, Secret> = new Map();

/** Its wall clock is that of the certificates, whose times are real ones. */
class Clock extends ManualClock {
  override wallMs(): number {
    return systemClock.wallMs();
  }
}

interface Stage {
  readonly cluster: MemoryCluster;
  readonly clock: Clock;
  readonly certManager: CertManager;
}

function stage(isEnabled = true): Stage {
  const [cluster, clock] = [new MemoryCluster(), new Clock()];
  return { cluster, clock, certManager: new CertManager(cluster, clock, isEnabled) };
}

/** The Secrets as they are once cert-manager has made them. */
async function made(): Promise<ReadonlyMap<string, Secret>> {
  return issuedSecrets(await issuedAuthority(systemClock.wallMs()), systemClock.wallMs());
}

async function pendingMessage(t: ExecutionContext, { certManager }: Stage, secrets: ReadonlyMap<string, Secret>): Promise<string> {
  const found = await certManager.find(ISSUED_RUN, secrets);
  t.is(found?.kind, 'pending');
  return found?.kind === 'pending' ? found.message : '';
}

test('a run that makes its own certificates is none of its business', async (t) => {
  t.is(await stage().certManager.find(runOf(), NONE), null);
});

test('all that is to be issued is applied once, and again while something is missing, but not all the time', async (t) => {
  const { cluster, clock, certManager } = stage();
  await certManager.ensure(ISSUED_RUN, NONE);
  t.deepEqual(cluster.writes, APPLIED);
  await clock.advance(29_999);
  await certManager.ensure(ISSUED_RUN, NONE);
  t.is(cluster.writes.length, APPLIED.length);
  await clock.advance(1);
  await certManager.ensure(ISSUED_RUN, NONE);
  t.is(cluster.writes.length, 2 * APPLIED.length);
});

test('Secrets that are there are taken over once, and then nothing is written or read any more', async (t) => {
  const { cluster, clock, certManager } = stage();
  const secrets = await made();
  for (const secret of secrets.values()) cluster.put(SECRET, secret);
  await certManager.ensure(ISSUED_RUN, secrets);
  t.deepEqual(
    cluster.writes.slice(APPLIED.length),
    [...secrets.keys()].map((name) => `apply Secret ${name}`),
  );
  const owned = new Map([...secrets.keys()].map((name) => [name, cluster.find(SECRET, { namespace: 'team', name }) as Secret]));
  for (const { metadata, data } of owned.values()) {
    t.like(metadata.ownerReferences?.[0], { kind: 'RolloutRun', uid: ISSUED_RUN.metadata.uid });
    t.truthy(data?.['tls.crt']);
  }
  const before = cluster.writes.length;
  await clock.advance(3_600_000);
  await certManager.ensure(ISSUED_RUN, owned);
  t.deepEqual(await certManager.find(ISSUED_RUN, owned), { kind: 'issued' });
  t.is(cluster.writes.length, before);
  t.deepEqual(cluster.reads, []);
});

test('a Secret that goes with another owner is left to it', async (t) => {
  const { cluster, certManager } = stage();
  const ownerReferences = [{ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', name: 'c', uid: 'c', controller: true }];
  const secrets = new Map(
    [...(await made())].map(([name, { metadata, ...rest }]) => [name, { ...rest, metadata: { ...metadata, ownerReferences } }]),
  );
  await certManager.ensure(ISSUED_RUN, secrets);
  t.deepEqual(cluster.writes, APPLIED);
});

test('while it waits it says for what, and what cert-manager says', async (t) => {
  const all = stage();
  t.is(await pendingMessage(t, all, NONE), 'the Secret answers-ca is not there yet');
  await all.certManager.ensure(ISSUED_RUN, NONE);
  t.regex(await pendingMessage(t, all, NONE), /says: nothing yet/);
  const certificate = all.cluster.find(CERTIFICATE, { namespace: 'team', name: 'answers-ca' });
  if (certificate === null) throw new Error('nothing was applied');
  const conditions = [{ type: 'Ready', status: 'False', message: 'the issuer company is not there' }];
  all.cluster.put(CERTIFICATE, { ...certificate, status: { conditions } });
  t.regex(await pendingMessage(t, all, NONE), /says: the issuer company is not there; `kubectl describe certificate answers-ca -n team`/);
});

test('where the kinds are not installed it says so, and sees it when they are', async (t) => {
  const { cluster, clock, certManager } = stage();
  const apply = cluster.apply.bind(cluster);
  cluster.apply = async () => {
    throw new ApiError(404, 'apply certificates answers-ca: the server could not find the requested resource', { reason: 'NotFound' });
  };
  await certManager.ensure(ISSUED_RUN, NONE);
  t.deepEqual(await certManager.find(ISSUED_RUN, NONE), { kind: 'not-installed' });
  cluster.apply = apply;
  await clock.advance(30_000);
  await certManager.ensure(ISSUED_RUN, NONE);
  t.is((await certManager.find(ISSUED_RUN, NONE))?.kind, 'pending');
});

test('what else the API server refuses is told like every refusal', async (t) => {
  const { cluster, certManager } = stage();
  cluster.apply = async () => {
    throw new ApiError(403, 'forbidden', { reason: 'Forbidden' });
  };
  await t.throwsAsync(certManager.ensure(ISSUED_RUN, NONE), { message: 'forbidden' });
});

test('an operator that is not to use it makes nothing, and says which value has to be set', async (t) => {
  const { cluster, certManager } = stage(false);
  await certManager.ensure(ISSUED_RUN, NONE);
  t.deepEqual(cluster.writes, []);
  t.deepEqual(await certManager.find(ISSUED_RUN, NONE), { kind: 'disabled' });
});

test('a run that is forgotten is a new one', async (t) => {
  const { cluster, certManager } = stage();
  await certManager.ensure(ISSUED_RUN, NONE);
  certManager.forget(ISSUED_RUN.metadata.uid);
  await certManager.ensure(ISSUED_RUN, NONE);
  t.is(cluster.writes.length, 2 * APPLIED.length);
});

import test from 'ava';
import { SECRET, type Secret } from '../../../../operator/kube/kind.ts';
import { ensureCertificates } from '../../../../operator/rollout/certificates.ts';
import { authorityName, childMeta, TLS_ROLES, type TlsRole, tlsName } from '../../../../operator/rollout/children.ts';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';
import { clientPem, secretState } from '../../../../operator/rollout/tls-secret.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { type CertificateRequest, issueCertificate, readRunId } from '../../../../runtime/tls/ca.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { mounted, secretIn, secretsOf } from '../../../support/operator/run-secrets.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
/** Certificates are compared with the machine's own time by those who are shown them. */
const NOW_MS = Date.now();
const HOUR_MS = 3_600_000;

const REQUESTS: Readonly<Record<TlsRole, CertificateRequest>> = {
  coordinator: { role: 'coordinator', hosts: [] },
  worker: { role: 'worker', workerId: 'answers-worker-0-0' },
  client: { role: 'client' },
};

async function ensure(cluster: MemoryCluster, nowMs: number = NOW_MS, run: typeof RUN = RUN): Promise<readonly string[]> {
  const before = cluster.writes.length;
  await ensureCertificates({ client: cluster, random: seededRandom(1) }, run, secretsOf(cluster), nowMs);
  return cluster.writes.slice(before);
}

const stateOf = (cluster: MemoryCluster, role: TlsRole, nowMs: number) => secretState(secretIn(cluster, tlsName('answers', role)), nowMs);

test('a run gets an authority, and a Secret for each role that its processes accept as it is mounted', async (t) => {
  const cluster = new MemoryCluster();
  t.deepEqual(await ensure(cluster), [
    'create Secret answers-ca',
    'apply Secret answers-coordinator-tls',
    'apply Secret answers-worker-tls',
    'apply Secret answers-client-tls',
  ]);
  for (const role of TLS_ROLES) {
    const dir = mounted(t, cluster, role);
    t.is(await readRunId(dir), runIdOf(RUN.metadata.uid));
    await t.notThrowsAsync(issueCertificate(dir, REQUESTS[role]), role);
  }
});

test('nobody but the operator has the key of the authority', async (t) => {
  const cluster = new MemoryCluster();
  await ensure(cluster);
  const key = secretIn(cluster, authorityName('answers'))?.data?.['tls.key'] ?? '';
  t.true(key.length > 100);
  for (const secret of secretsOf(cluster).values()) t.false(JSON.stringify(secret.data).includes(key), secret.metadata.name);
});

test('nothing is asked for or written while all are in the first half of their lives; then they are renewed by the same authority', async (t) => {
  const cluster = new MemoryCluster();
  await ensure(cluster);
  const reads = cluster.reads.length;
  t.deepEqual(await ensure(cluster, NOW_MS + 8 * HOUR_MS), []);
  t.is(cluster.reads.length, reads);
  t.deepEqual(
    TLS_ROLES.map((role) => stateOf(cluster, role, NOW_MS + 14 * HOUR_MS)),
    ['due', 'due', 'due'],
  );
  const authority = secretIn(cluster, authorityName('answers'));
  t.is((await ensure(cluster, NOW_MS + 14 * HOUR_MS)).length, 3);
  t.deepEqual(secretIn(cluster, authorityName('answers')), authority);
  t.is(stateOf(cluster, 'worker', NOW_MS + 14 * HOUR_MS), 'good');
});

test('one that is missing or damaged is made anew, and the others are left', async (t) => {
  const cluster = new MemoryCluster();
  await ensure(cluster);
  const worker = secretIn(cluster, 'answers-worker-tls') as Secret;
  for (const data of [undefined, {}, { ...worker.data, 'tls.crt': 'bm8gY2VydGlmaWNhdGU=' }]) {
    const { data: _data, ...rest } = worker;
    cluster.put(SECRET, data === undefined ? rest : { ...rest, data });
    t.is(stateOf(cluster, 'worker', NOW_MS), 'missing');
    t.deepEqual(await ensure(cluster), ['apply Secret answers-worker-tls']);
  }
});

test('where the authority is lost, all are made anew by another one as soon as one is due: none trusts one that is gone', async (t) => {
  const cluster = new MemoryCluster();
  await ensure(cluster);
  await cluster.delete(SECRET, { namespace: 'team', name: 'answers-ca' }, {});
  await cluster.delete(SECRET, { namespace: 'team', name: 'answers-worker-tls' }, {});
  t.is((await ensure(cluster)).length, 4);
  const authorities = [...secretsOf(cluster).values()].map(({ data }) => data?.['ca.crt']);
  t.is(new Set(authorities).size, 1);
});

test('an authority that another operator has made meanwhile is used', async (t) => {
  const [cluster, other] = [new MemoryCluster(), new MemoryCluster()];
  await ensure(other);
  const made = secretIn(other, 'answers-ca') as Secret;
  const create = cluster.create.bind(cluster);
  cluster.create = async (kind, object) => {
    cluster.put(SECRET, made);
    return create(kind, object);
  };
  t.is((await ensure(cluster)).length, 3);
  t.is(secretIn(cluster, 'answers-client-tls')?.data?.['ca.crt'], made.data?.['tls.crt']);
});

test('nothing is signed with the authority of an earlier run of the same name', async (t) => {
  const cluster = new MemoryCluster();
  const earlier = runOf({}, undefined, { uid: '11111111-1111-1111-1111-111111111111' });
  await ensure(cluster, NOW_MS, earlier);
  await cluster.delete(SECRET, { namespace: 'team', name: 'answers-worker-tls' }, {});
  const before = cluster.writes.length;
  await t.throwsAsync(ensure(cluster), { message: /answers-ca is not of this run/ });
  t.is(cluster.writes.length, before);
});

test('a client shows what its Secret has, if it is whole', async (t) => {
  const cluster = new MemoryCluster();
  await ensure(cluster);
  const secret = secretIn(cluster, 'answers-client-tls');
  t.regex(clientPem(secret)?.cert.toString() ?? '', /^-----BEGIN CERTIFICATE-----/);
  t.regex(clientPem(secret)?.key.toString() ?? '', /PRIVATE KEY/);
  t.is(clientPem(null), null);
  for (const key of ['ca.crt', 'tls.crt', 'tls.key']) {
    const { [key]: _gone, ...data } = secret?.data ?? {};
    t.is(clientPem({ metadata: childMeta(RUN, 'x', 'coordinator'), data }), null, key);
    t.is(clientPem({ metadata: childMeta(RUN, 'x', 'coordinator'), data: { ...data, [key]: '' } }), null, key);
  }
});

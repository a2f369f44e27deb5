import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { seededRandom } from '../../../runtime/base/random.ts';
import { type Authority, makeAuthority, makeCertificate, makeKeyPem } from '../../../runtime/tls/certificate.ts';
import type { Identity } from '../../../runtime/tls/identity.ts';
import { judgePair, type Pem, trustIn } from '../../../runtime/tls/pair.ts';
import { issueAuthority, makeIssuer } from '../../support/issuer.ts';

const FILES = { caPath: '/t/ca.pem', certPath: '/t/own.pem', keyPath: '/t/own.key.pem' };
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;
const COORDINATOR: Identity = { role: 'coordinator', runId: 'R1' };
const random = seededRandom(1);

async function authority(nowMs = NOW_MS): Promise<Authority> {
  const keyPem = await makeKeyPem();
  return { certPem: await makeAuthority(keyPem, 'R1', { nowMs, random }), keyPem };
}

const OWN = await authority();
const KEY = await makeKeyPem();

async function certified(identity: Identity, by: Authority, nowMs = NOW_MS): Promise<string> {
  return makeCertificate(KEY, identity, ['localhost'], by, { nowMs, random });
}

const CERT = await certified(COORDINATOR, OWN);

function pem(more: Partial<Record<keyof Pem, string>> = {}): Pem {
  const { ca, cert, key } = { ca: OWN.certPem, cert: CERT, key: KEY, ...more };
  return { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) };
}

test('a certificate that every peer accepts is good, until its end', (t) => {
  for (const wanted of [COORDINATOR, null]) {
    const judged = judgePair(pem(), FILES, wanted, NOW_MS);
    t.like(judged, { kind: 'good', pair: { identity: COORDINATOR, expiresAtMs: Date.parse(new X509Certificate(CERT).validTo) } });
  }
  t.is(judgePair(pem(), FILES, COORDINATOR, NOW_MS + DAY_MS - 1).kind, 'good');
});

test('several authorities in one file are each as good', async (t) => {
  const other = await authority();
  for (const ca of [`${OWN.certPem}\n${other.certPem}`, `${other.certPem}\n${OWN.certPem}`])
    t.is(judgePair(pem({ ca }), FILES, COORDINATOR, NOW_MS).kind, 'good');
});

test('what no peer would accept is flawed, and the flaw names file, cause, and the clock', async (t) => {
  const other = await authority();
  const old = await authority(NOW_MS - 6 * 365 * DAY_MS);
  const cases: readonly (readonly [what: string, given: Pem, nowMs: number, flaw: RegExp])[] = [
    [
      'expired',
      pem(),
      NOW_MS + DAY_MS,
      /^\/t\/own\.pem has expired, it was valid until 2026-03-02T12:00:00Z: the clock .* says 2026-03-02T12:00:00Z$/,
    ],
    [
      'not yet valid',
      pem(),
      NOW_MS - DAY_MS,
      /^\/t\/own\.pem is not valid before 2026-03-01T09:00:00Z: the clock of this machine says 2026-02-28T12/,
    ],
    ['the authority has expired', pem({ ca: old.certPem, cert: await certified(COORDINATOR, old) }), NOW_MS, /^\/t\/ca\.pem has expired/],
    [
      'another authority',
      pem({ cert: await certified(COORDINATOR, other) }),
      NOW_MS,
      /own\.pem is not signed by the authority in \/t\/ca\.pem$/,
    ],
    [
      'another run',
      pem({ cert: await certified({ role: 'coordinator', runId: 'R2' }, OWN) }),
      NOW_MS,
      /must carry .*URI:spiffe:\/\/rollout\/R1\/coordinator/,
    ],
    ['another role', pem({ cert: await certified({ role: 'client', runId: 'R1' }, OWN) }), NOW_MS, /must carry .*\/coordinator/],
    ['the authority itself', pem({ cert: OWN.certPem, key: OWN.keyPem }), NOW_MS, /must carry .*\/coordinator/],
    ['another key', pem({ key: await makeKeyPem() }), NOW_MS, /^\/t\/own\.key\.pem is not the key of \/t\/own\.pem$/],
    ['no key', pem({ key: 'nonsense' }), NOW_MS, /^\/t\/own\.key\.pem is no private key/],
    ['no certificate', pem({ cert: '' }), NOW_MS, /^\/t\/own\.pem is no certificate/],
    ['half a certificate', pem({ cert: CERT.slice(0, 200) }), NOW_MS, /^\/t\/own\.pem is no certificate/],
    ['a damaged certificate', pem({ cert: CERT.replace(/[A-Za-z0-9]{40}/, 'A'.repeat(40)) }), NOW_MS, /^\/t\/own/],
    ['no authority', pem({ ca: 'nonsense' }), NOW_MS, /^\/t\/ca\.pem is no certificate/],
  ];
  for (const [what, given, nowMs, flaw] of cases) {
    const judged = judgePair(given, FILES, COORDINATOR, nowMs);
    t.is(judged.kind, 'flawed', what);
    if (judged.kind === 'flawed') t.regex(judged.flaw, flaw, what);
  }
});

test('an authority that somebody else has signed is trusted by itself, and whoever has signed it is not', async (t) => {
  const company = await makeIssuer('company', NOW_MS);
  const run = await issueAuthority(company, 'R1', NOW_MS);
  const [own, foreign] = [await certified(COORDINATOR, run), await certified(COORDINATOR, company)];
  const chain = `${own}\n${run.certPem}`;
  for (const ca of [run.certPem, `${run.certPem}\n${company.certPem}`]) {
    const judged = judgePair(pem({ ca, cert: chain }), FILES, COORDINATOR, NOW_MS);
    t.like(judged, { kind: 'good', pair: { isPartial: true } });
    t.is(judged.kind === 'good' ? new X509Certificate(judged.pair.ca).subject : '', 'CN=run R1');
    t.like(judgePair(pem({ ca, cert: foreign }), FILES, COORDINATOR, NOW_MS), {
      kind: 'flawed',
      flaw: '/t/own.pem is not signed by the authority in /t/ca.pem',
    });
  }
  t.is((String(trustIn(Buffer.from(`${run.certPem}\n${company.certPem}`))?.ca).match(/BEGIN/g) ?? []).length, 1);
});

test('where the first authority is signed by itself all of the file is trusted, and nothing is where there is none', async (t) => {
  const other = await authority();
  const trust = trustIn(Buffer.from(`${OWN.certPem}\n${other.certPem}`));
  t.false(trust?.isPartial);
  t.is((String(trust?.ca).match(/BEGIN/g) ?? []).length, 2);
  t.is(trustIn(Buffer.from('nothing')), null);
});

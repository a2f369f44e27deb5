import test from 'ava';
import { type IssuedFinding, issuedCondition, issuedFlaw, issuedNames } from '../../../../operator/rollout/issued.ts';
import { ISSUED_RUN, issuedAuthority, issuedSecrets } from '../../../support/operator/issued-secrets.ts';
import { NOW } from '../../../support/operator/run-world.ts';

const DAY_MS = 86_400_000;
const AUTHORITY = await issuedAuthority(NOW);
const SECRETS = await issuedSecrets(AUTHORITY, NOW);

function without(name: string): typeof SECRETS {
  const left = new Map(SECRETS);
  left.delete(name);
  return left;
}

test('with all Secrets of the run nothing is wrong', (t) => {
  t.is(issuedFlaw(ISSUED_RUN, SECRETS, NOW), null);
  t.deepEqual(issuedNames('answers'), [...SECRETS.keys()]);
});

test('what is missing is named, the authority before what it signs', (t) => {
  t.deepEqual(issuedFlaw(ISSUED_RUN, new Map(), NOW), { secret: 'answers-ca', flaw: 'is not there yet' });
  for (const name of SECRETS.keys()) t.deepEqual(issuedFlaw(ISSUED_RUN, without(name), NOW), { secret: name, flaw: 'is not there yet' });
});

test('Secrets that were left by an earlier run of the same name are not those of this one', async (t) => {
  const run = { ...ISSUED_RUN, metadata: { ...ISSUED_RUN.metadata, uid: '0193746f-8b1c-7e2a-9f00-000000000000' } };
  t.like(issuedFlaw(run, SECRETS, NOW), { secret: 'answers-ca' });
  const renewed = new Map([...SECRETS, ['answers-ca', (await issuedSecrets(await issuedAuthority(NOW, run), NOW, run)).get('answers-ca')]]);
  t.regex(issuedFlaw(run, renewed as typeof SECRETS, NOW)?.flaw ?? '', /without the one URI spiffe:\/\/rollout\/.*\/coordinator/);
});

test('what has expired is not good any more', (t) => {
  t.deepEqual(issuedFlaw(ISSUED_RUN, SECRETS, NOW + DAY_MS), {
    secret: 'answers-coordinator-tls',
    flaw: 'has a certificate that has expired',
  });
  t.deepEqual(issuedFlaw(ISSUED_RUN, SECRETS, NOW + 31 * DAY_MS), { secret: 'answers-ca', flaw: 'has a certificate that has expired' });
});

test('an authority that was replaced has signed nothing, and the way out is told', async (t) => {
  const [other] = await issuedSecrets(await issuedAuthority(NOW), NOW);
  const found = issuedFlaw(ISSUED_RUN, new Map([...SECRETS, ...(other === undefined ? [] : [other])]), NOW);
  t.is(found?.secret, 'answers-coordinator-tls');
  t.regex(found?.flaw ?? '', /delete the Secret answers-coordinator-tls/);
});

test('the condition says what to do where there is something to do', (t) => {
  const table: readonly (readonly [finding: IssuedFinding, status: string, reason: string, message: RegExp])[] = [
    [{ kind: 'issued' }, 'True', 'CertificatesIssued', /has issued all/],
    [{ kind: 'disabled' }, 'False', 'CertManagerDisabled', /set certManager\.enabled/],
    [{ kind: 'not-installed' }, 'False', 'CertManagerMissing', /install cert-manager/],
    [{ kind: 'pending', message: 'it comes' }, 'False', 'CertificatesPending', /^it comes$/],
  ];
  for (const [finding, status, reason, message] of table) {
    const condition = issuedCondition(finding);
    t.like(condition, { type: 'CertificatesReady', status, reason });
    t.regex(condition.message, message);
  }
});

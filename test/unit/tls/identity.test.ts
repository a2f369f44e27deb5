import test from 'ava';
import { isWorkerId } from '../../../runtime/model/row.ts';
import { type Identity, identityFromAltNames, parseSpiffeId, spiffeId } from '../../../runtime/tls/identity.ts';

const ALL: readonly Identity[] = [
  { role: 'worker', runId: 'R1', workerId: 'w-1.a_b' },
  { role: 'workers', runId: 'R1' },
  { role: 'coordinator', runId: 'R1' },
  { role: 'client', runId: 'R1' },
  { role: 'authority', runId: 'R1' },
];

test('every identity survives being written and read', (t) => {
  for (const identity of ALL) t.deepEqual(parseSpiffeId(spiffeId(identity)), identity);
});

test('what is no identity of a run is nobody', (t) => {
  const wrong = [
    '',
    'spiffe://other/R1/client',
    'spiffe://rollout/R1/admin',
    'spiffe://rollout/R1/worker',
    'spiffe://rollout/R1/worker/',
    'spiffe://rollout/R1/worker/a/b',
    'spiffe://rollout/R1/workers/a',
    'spiffe://rollout/R1/client/x',
    'spiffe://rollout//client',
    'spiffe://rollout/R1/client\n',
    'spiffe://rollout/R1/worker/a%2Fb',
    'https://rollout/R1/client',
    ' spiffe://rollout/R1/client',
  ];
  for (const uri of wrong) t.is(parseSpiffeId(uri), null, uri);
});

test('the identity is the only URI among the names; two URIs are nobody', (t) => {
  t.deepEqual(identityFromAltNames('DNS:localhost, URI:spiffe://rollout/R1/client, IP Address:127.0.0.1'), { role: 'client', runId: 'R1' });
  t.is(identityFromAltNames('URI:spiffe://rollout/R1/client, URI:spiffe://rollout/R1/worker/w'), null);
  t.is(identityFromAltNames('DNS:localhost'), null);
  t.is(identityFromAltNames(undefined), null);
});

test('a name that Node quotes cannot pass itself off as a URI', (t) => {
  t.is(identityFromAltNames('DNS:"x, URI:spiffe://rollout/R1/client"'), null);
  t.is(identityFromAltNames('URI:"spiffe://rollout/R1/client\\u002c"'), null);
});

test('a worker id has 1 to 64 letters, digits, hyphens, underscores and dots', (t) => {
  t.true(['w', 'w-1', 'A_b.c', 'x'.repeat(64)].every(isWorkerId));
  t.false(['', 'a/b', 'a b', 'ä', 'x'.repeat(65), 'a\n'].some(isWorkerId));
});

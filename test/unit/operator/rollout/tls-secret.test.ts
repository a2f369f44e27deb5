import test from 'ava';
import type { Secret } from '../../../../operator/kube/kind.ts';
import { certificateIn, clientPem, secretState, textIn } from '../../../../operator/rollout/tls-secret.ts';

const secretOf = (data: Readonly<Record<string, string>>): Secret => ({
  metadata: { name: 's', namespace: 'team' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

test('a key that is not there, or empty, has no text', (t) => {
  t.is(textIn(null, 'tls.crt'), null);
  t.is(textIn(secretOf({}), 'tls.crt'), null);
  t.is(textIn(secretOf({ 'tls.crt': '' }), 'tls.crt'), null);
  t.is(textIn(secretOf({ 'tls.crt': 'text' }), 'tls.crt'), 'text');
});

test('what is no certificate is none', (t) => {
  t.is(certificateIn(secretOf({ 'tls.crt': 'text' })), null);
  t.is(secretState(secretOf({ 'tls.crt': 'text' }), 0), 'missing');
});

test('a client needs all three; its authority may be in another Secret', (t) => {
  const whole = secretOf({ 'ca.crt': 'top', 'tls.crt': 'cert', 'tls.key': 'key' });
  t.deepEqual(clientPem(whole), { ca: Buffer.from('top'), cert: Buffer.from('cert'), key: Buffer.from('key') });
  t.is(String(clientPem(whole, secretOf({ 'tls.crt': 'authority' }))?.ca), 'authority');
  t.is(clientPem(whole, secretOf({})), null);
  for (const key of ['ca.crt', 'tls.crt', 'tls.key']) t.is(clientPem({ ...whole, data: { ...whole.data, [key]: '' } }), null, key);
});

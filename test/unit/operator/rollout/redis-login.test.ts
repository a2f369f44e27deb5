import test from 'ava';
import { loginOf, textIn } from '../../../../operator/rollout/redis-login.ts';

const encoded = (data: Readonly<Record<string, string>>) => ({
  metadata: { name: 'redis' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

test('a line end behind a password is no part of it; a certificate is taken as it stands', (t) => {
  const secret = encoded({ password: 'pw\n', 'sentinel-password': 'other\r\n', 'ca.crt': 'PEM\n' });
  t.like(loginOf('redis://r:6379', secret), { url: 'redis://r:6379', password: 'pw', sentinelPassword: 'other', ca: 'PEM\n', cert: null });
});

test('without a Secret there is nothing but the address', (t) => {
  t.true(Object.values(loginOf('redis://r:6379', null)).every((value) => value === null || value === 'redis://r:6379'));
  t.is(textIn(encoded({}), 'url'), null);
});

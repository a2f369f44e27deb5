import test from 'ava';
import { hidingOf } from '../../../../runtime/worker/backends/hiding.ts';

const KEY = 'sk-Abc+123/456&x=';

test('a key is hidden in every form in which servers repeat it', (t) => {
  const hide = hidingOf([KEY]);
  for (const text of [
    KEY,
    `Bearer ${KEY}`,
    `authorization: bearer ${KEY.toLowerCase()}`,
    `GET /v1/models?key=${encodeURIComponent(KEY)}&x=1`,
    `{"key":"${KEY.replace('/', '\\/')}"}`,
    `<p>${KEY.replace('&', '&amp;')}</p>`,
    `twice ${KEY}${KEY}`,
  ]) {
    t.notRegex(hide(text), /abc|123|456/i, text);
    t.true(hide(text).includes('[hidden]'), text);
  }
});

test('of a header the credentials are hidden without their scheme too, and of Basic ones the password', (t) => {
  const basic = `Basic ${Buffer.from('somebody:pass-word-1').toString('base64')}`;
  const hide = hidingOf(['Bearer token-0123', basic, 'session=cookie-0123; path=/']);
  t.is(hide('no such token: token-0123'), 'no such token: [hidden]');
  t.is(hide('somebody may not use pass-word-1'), 'somebody may not use [hidden]');
  t.is(hide(basic), '[hidden]');
  t.is(hide('unknown session cookie-0123'), 'unknown session [hidden]');
  t.is(hide('the Bearer scheme is wanted'), 'the Bearer scheme is wanted');
});

test('a short key is hidden where it stands alone, and what is no key hides nothing', (t) => {
  const hide = hidingOf(['EMPTY', 'abc']);
  t.is(hide('key "EMPTY" is empty, EMPTYING abc'), 'key "[hidden]" is empty, EMPTYING abc');
  t.is(hidingOf([])('nothing to hide'), 'nothing to hide');
});

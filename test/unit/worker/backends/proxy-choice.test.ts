import test from 'ava';
import { proxyAuthorization, proxyFor, shownProxy } from '../../../../runtime/worker/backends/proxy-choice.ts';

type Env = Readonly<Record<string, string>>;

function chosen(target: string, env: Env): string | null {
  const choice = proxyFor(new URL(target), env);
  return choice === null ? null : `${choice.variable} ${shownProxy(choice)}`;
}

for (const [target, env, proxy] of [
  ['http://h', {}, null],
  ['http://h', { http_proxy: 'http://p:3128' }, 'http_proxy http://p:3128'],
  ['http://h', { HTTP_PROXY: 'http://p:3128' }, null],
  ['http://h', { https_proxy: 'http://p:3128' }, null],
  ['https://h', { http_proxy: 'http://p:3128' }, null],
  ['https://h', { HTTPS_PROXY: 'http://p:3128' }, 'HTTPS_PROXY http://p:3128'],
  ['https://h', { https_proxy: 'http://l:1', HTTPS_PROXY: 'http://u:1' }, 'https_proxy http://l:1'],
  ['https://h', { https_proxy: '', ALL_PROXY: 'http://a:1' }, 'ALL_PROXY http://a:1'],
  ['http://h', { all_proxy: 'p:8080' }, 'all_proxy http://p:8080'],
  ['http://h', { http_proxy: 'p' }, 'http_proxy http://p:1080'],
  ['http://h', { http_proxy: 'http://p:80/' }, 'http_proxy http://p'],
  ['http://h', { http_proxy: 'http://me:secret@p:3128' }, 'http_proxy http://p:3128'],
  ['http://h', { http_proxy: 'http://p:3128', no_proxy: '*' }, null],
] as const) {
  test(`${target} with ${JSON.stringify(env)} goes through ${proxy}`, (t) => {
    t.is(chosen(target, env), proxy);
  });
}

for (const [host, noProxy, isDirect] of [
  ['a.example.com', 'example.com', true],
  ['example.com', '.example.com', true],
  ['a.example.com', '*.example.com', true],
  ['notexample.com', 'example.com', false],
  ['EXAMPLE.com', 'other, Example.COM.', true],
  ['example.com:8000', 'example.com:8000', true],
  ['example.com:8000', 'example.com:9000', false],
  ['example.com', 'example.com:80', true],
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', 'localhost 127.0.0.0/8', true],
  ['10.1.2.3', '10.0.0.0/9', true],
  ['10.129.2.3', '10.0.0.0/9', false],
  ['10.1.2.3', '2.3', false],
  ['[::1]:8000', '::1', true],
  ['[fe80::1]', 'fe80::/10', true],
  ['[2001:db8::1]', '2001:db8:1::/48', false],
  ['[::1]:8000', '[::1]:8000', true],
] as const) {
  test(`no_proxy=${noProxy}: ${host} is asked ${isDirect ? 'directly' : 'through the proxy'}`, (t) => {
    const proxy = { http_proxy: 'http://p:3128' };
    t.is(chosen(`http://${host}`, { ...proxy, no_proxy: noProxy }) === null, isDirect);
    t.is(chosen(`http://${host}`, { ...proxy, NO_PROXY: noProxy }) === null, isDirect);
  });
}

test('name and password of the proxy are sent as they were written, decoded', (t) => {
  const choice = proxyFor(new URL('http://h'), { http_proxy: 'http://me:p%40ss@p:1' });
  t.is(choice === null ? null : proxyAuthorization(choice), `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  const open = proxyFor(new URL('http://h'), { http_proxy: 'http://p:1' });
  t.is(open === null ? '' : proxyAuthorization(open), null);
});

import test from 'ava';
import { endpointUrl, requestPath, shownUrl } from '../../../../runtime/worker/backends/endpoint-url.ts';

const CHAT = '/v1/chat/completions';

for (const [baseUrl, url, path] of [
  ['http://h:1', CHAT, '/v1/chat/completions'],
  ['http://h:1/', CHAT, '/v1/chat/completions'],
  ['http://h:1/v1', CHAT, '/v1/chat/completions'],
  ['http://h:1/v1//', CHAT, '/v1/chat/completions'],
  ['http://h:1/v1', '/rerank', '/v1/rerank'],
  ['http://h:1', '/rerank', '/rerank'],
  ['http://h:1/proxy/v1', CHAT, '/proxy/v1/chat/completions'],
  ['http://h:1/api/paas/v4', CHAT, '/api/paas/v4/chat/completions'],
  ['http://h:1/api/paas/v4/', '/v1/models', '/api/paas/v4/models'],
  ['http://h:1/api', '/v1', '/api'],
  ['http://h:1/api', '/v10/x', '/api/v10/x'],
  ['http://h:1/openai/deployments/d?api-version=2024-10-21', CHAT, '/openai/deployments/d/chat/completions?api-version=2024-10-21'],
  ['http://h:1?api-version=1&a=b', '/v1/x?c=d', '/v1/x?c=d&api-version=1&a=b'],
] as const) {
  test(`${url} below ${baseUrl} is ${path}`, (t) => {
    t.is(requestPath(endpointUrl(baseUrl), url), path);
  });
}

test('what is shown of an address has neither its query nor its password', (t) => {
  const url = endpointUrl('https://name:secret@h/api?key=secret');
  t.is(shownUrl(url, requestPath(url, '/v1/models')), 'https://h/api/models');
});

import test from 'ava';
import { isApiUrl, isHeaderName, isHeaderValue, isOwnHeader, isPlainUrl } from '../../../runtime/base/http-header.ts';

test('names and values of headers are those of RFC 9110', (t) => {
  for (const name of ['x-team', 'Authorization', '!#$']) t.true(isHeaderName(name), name);
  for (const name of ['', 'x y', 'x:', 'Ä']) t.false(isHeaderName(name), name);
  for (const value of ['', 'a b\t~', '\u00ff']) t.true(isHeaderValue(value), value);
  for (const value of ['a\r', 'a\nb', '\0', '\u65e5', '\u007f']) t.false(isHeaderValue(value), value);
});

test('headers that the client sets itself are known in any case', (t) => {
  t.true(isOwnHeader('Content-Length'));
  t.true(isOwnHeader('host'));
  t.false(isOwnHeader('authorization'));
});

test('a plain address holds no secret and no more than paths can be put to', (t) => {
  for (const url of ['https://a:8000/v1/', 'http://a?api-version=2024-10-21']) t.true(isPlainUrl(url), url);
  const secret = ['key', 'api_key', 'apikey', 'access_token', 'sig', 'code', 'password', 'client-secret'].map(
    (name) => `http://a?x=1&${name}=s`,
  );
  for (const url of ['http://me@a', 'http://me:pass@a', 'http://a#x', ...secret]) t.false(isPlainUrl(url), url);
});

test('the address of an API ends above its endpoints', (t) => {
  for (const url of ['http://a', 'http://a/v1/', 'https://a/openai/deployments/embeddings-3?api-version=1', 'https://a/models'])
    t.true(isApiUrl(url), url);
  for (const url of ['http://a/v1/chat/completions', 'http://a/v1/responses/', 'http://a/embeddings?x=1']) t.false(isApiUrl(url), url);
});

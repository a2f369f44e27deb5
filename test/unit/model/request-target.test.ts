import test from 'ava';
import fc from 'fast-check';
import { requestTargetProblem } from '../../../runtime/model/request-target.ts';

test('a path with an optional query is a request target, percent-encoded where it must be', (t) => {
  for (const url of [
    '/',
    '/v1/chat/completions',
    '/v1/embeddings?api-version=2024-02-01&x=%20',
    '/openai/deployments/a.b..c/chat',
    '/a//b',
  ])
    t.is(requestTargetProblem(url), null, url);
});

const REFUSED: readonly (readonly [url: string, problem: RegExp])[] = [
  ['/v1/chat completions', /^holds a blank: percent-encode it$/],
  ['/v1/x ', /a blank/],
  ['/v1/x\tb', /control character U\+0009/],
  ['/v1/x\r\nHost: evil', /control character U\+000D/],
  ['/v1/x\u007f', /control character U\+007F/],
  ['/v1/\0', /control character U\+0000/],
  ['/v1/ünicode', /U\+00FC, which is not ASCII/],
  ['/v1/模型', /U\+6A21/],
  ['/v1/😀', /U\+1F600/],
  ['/v1/x#part', /"#".*%23/],
  ['//evil.invalid/v1', /names another host/],
  ['/\\evil.invalid/v1', /"\\"/],
  ['/v1/../admin', /path segment "\." or "\.\."/],
  ['/..', /path segment/],
  ['/v1/./x', /path segment/],
  ['/v1/%2E%2e/admin', /path segment/],
  ['/v1/.%2e?x=1', /path segment/],
];

for (const [url, problem] of REFUSED) {
  test(`a request line cannot carry ${JSON.stringify(url)}`, (t) => t.regex(requestTargetProblem(url) ?? '', problem));
}

test('dots in a query are no path segments', (t) => t.is(requestTargetProblem('/v1/x?next=/../y'), null));

test('what is a request target is visible ASCII, whatever the text', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      if (requestTargetProblem(`/${text}`) === null) t.regex(text, /^[\x21-\x7e]*$/);
    }),
  );
  t.pass();
});

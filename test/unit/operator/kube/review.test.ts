import test from 'ava';
import type { SubjectAccessReview, TokenReview } from '../../../../operator/kube/kind.ts';
import { accessReview, bearerToken, isAllowed, tokenReview, userOf } from '../../../../operator/kube/review.ts';

const nameless = { metadata: { name: '' } };

test('a token is what a header of this one form shows', (t) => {
  const table: readonly (readonly [header: string | undefined, token: string | null])[] = [
    [undefined, null],
    ['', null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Basic dXNlcjpwYXNz', null],
    ['Bearer two words', null],
    ['Bearer abc.DEF-1_2~3+/==', 'abc.DEF-1_2~3+/=='],
    ['bearer  abc', 'abc'],
  ];
  for (const [header, token] of table) t.is(bearerToken(header), token, String(header));
});

test('who is asked about is asked about with all that the API server has said of him, and nothing else', (t) => {
  t.deepEqual(tokenReview('abc'), { ...nameless, spec: { token: 'abc' } });
  const user = { username: 'system:serviceaccount:monitoring:prometheus', uid: 'u', groups: ['g'], extra: { node: ['n1'] } };
  t.deepEqual(accessReview(user, '/metrics').spec, {
    user: user.username,
    uid: 'u',
    groups: ['g'],
    extra: { node: ['n1'] },
    nonResourceAttributes: { path: '/metrics', verb: 'get' },
  });
  t.deepEqual(accessReview({ username: 'jane' }, '/metrics').spec, {
    user: 'jane',
    nonResourceAttributes: { path: '/metrics', verb: 'get' },
  });
});

test('only a clear yes is one', (t) => {
  const tokens: readonly (readonly [status: TokenReview['status'], user: string | null])[] = [
    [undefined, null],
    [{}, null],
    [{ authenticated: false, user: { username: 'jane' } }, null],
    [{ authenticated: true }, null],
    [{ authenticated: true, user: { username: 'jane' } }, 'jane'],
  ];
  for (const [status, user] of tokens)
    t.is(userOf({ ...nameless, spec: { token: 'abc' }, ...(status === undefined ? {} : { status }) })?.username ?? null, user);
  const access: readonly (readonly [status: SubjectAccessReview['status'], is: boolean])[] = [
    [undefined, false],
    [{ allowed: false }, false],
    [{ allowed: true, denied: true }, false],
    [{ allowed: true }, true],
  ];
  for (const [status, is] of access) t.is(isAllowed({ ...nameless, spec: {}, ...(status === undefined ? {} : { status }) }), is);
});

import test from 'ava';
import { isPassing, type Refusal, refusalOf } from '../../../../operator/cli/refusal.ts';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';

const SERVER = 'https://10.0.0.1';
const refused = (status: number, message: string, reason = ''): Refusal => refusalOf(new ApiError(status, message, { reason }), SERVER);

test('no right: the verb, the resource, where, and how to find out', (t) => {
  t.deepEqual(
    refused(
      403,
      'list rolloutruns: rolloutruns.rollout.run is forbidden: User "bob" cannot list resource "rolloutruns" in API group "rollout.run" in the namespace "team"',
    ),
    {
      message:
        'bob may not list rolloutruns in the namespace team: ask for a role with the verb `list` on rolloutruns of the API group rollout.run; `kubectl auth can-i list rolloutruns.rollout.run -n team` tells whether you have it',
      exit: 2,
    },
  );
});

test('no right to a subresource, and none in the whole cluster', (t) => {
  t.regex(
    refused(403, 'x: pods "p" is forbidden: User "bob" cannot get resource "pods/proxy" in API group "" in the namespace "team"').message,
    /^bob may not get pods\/proxy .* on pods\/proxy; `kubectl auth can-i get pods --subresource=proxy -n team`/,
  );
  t.regex(
    refused(403, 'x: User "bob" cannot list resource "rolloutruns" in API group "rollout.run" at the cluster scope').message,
    /^bob may not list rolloutruns in the whole cluster: .*`kubectl auth can-i list rolloutruns\.rollout\.run --all-namespaces`/,
  );
});

test('who else forbids says why itself', (t) => {
  t.deepEqual(refused(403, 'create pods a: exceeded quota: team'), { message: 'create pods a: exceeded quota: team', exit: 2 });
});

test('a cluster that does not know the kind: how the operator is installed', (t) => {
  for (const message of [
    'list rolloutruns: HTTP 404: 404 page not found',
    'list rolloutruns: the server could not find the requested resource',
  ]) {
    const { message: said, exit } = refused(404, message);
    t.regex(said, /does not know the kind RolloutRun: install the operator with `helm install rollout charts\/rollout/);
    t.is(exit, 2);
  }
});

test('a namespace that there is not, and a name that is taken', (t) => {
  t.regex(
    refused(404, 'create configmaps a/b: namespaces "a" not found', 'NotFound').message,
    /^there is no namespace a: create it with `kubectl create namespace a`/,
  );
  t.deepEqual(refused(409, 'create rolloutruns a: it already exists', 'AlreadyExists'), {
    message: 'create rolloutruns a: it already exists: choose another name, or delete the one that is there',
    exit: 2,
  });
});

test('who is not known is told to log in', (t) => {
  t.like(refused(401, 'get x: Unauthorized'), { exit: 2 });
  t.regex(refused(401, 'get x: Unauthorized').message, /does not know you: log in again/);
});

test('what passes by itself ends with 4', (t) => {
  for (const status of [429, 500, 503, 504]) t.is(refused(status, 'x').exit, 4, String(status));
  t.is(refused(409, 'patch x: the object has been modified', 'Conflict').exit, 4);
  t.true(isPassing(new ApiError(503, 'x')) && isPassing(new NoAnswer('x')));
  t.false(isPassing(new ApiError(403, 'x')) || isPassing(new Error('x')));
});

test('a server that does not answer is named, and a cluster that nothing names', (t) => {
  const away = refusalOf(new NoAnswer('GET /apis/x: connect ECONNREFUSED 10.0.0.1:443'), SERVER);
  t.regex(
    away.message,
    /^the API server at https:\/\/10\.0\.0\.1 does not answer \(connect ECONNREFUSED 10\.0\.0\.1:443\): `kubectl cluster-info`/,
  );
  t.is(away.exit, 4);
  t.regex(refusalOf(new NoAnswer('GET /x: connect ECONNREFUSED'), 'http://localhost:8080').message, /^no cluster is configured/);
});

test('other refusals stand as the server has written them', (t) => {
  t.deepEqual(refused(422, 'create x: spec.input: Required value'), { message: 'create x: spec.input: Required value', exit: 2 });
});

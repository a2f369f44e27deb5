import test from 'ava';
import { ApiError } from '../../../../operator/kube/api-error.ts';
import { createClient, type KubeClient } from '../../../../operator/kube/client.ts';
import { DEPLOYMENT, NODE, POD, type Pod } from '../../../../operator/kube/kind.ts';
import type { Answer, Call, Transport } from '../../../../operator/kube/transport.ts';
import { statusOf } from '../../../support/api-edge.ts';

const POD_OBJECT: Pod = { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [] } };

/** A client whose calls are seen, and answered in turn. */
function stage(...answers: readonly (readonly [status: number, body: unknown])[]): { readonly client: KubeClient; readonly calls: Call[] } {
  const calls: Call[] = [];
  const left = [...answers];
  const transport: Transport = {
    call: async (call): Promise<Answer> => {
      calls.push(call);
      const [status, body] = left.shift() ?? [200, POD_OBJECT];
      return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
    },
    open: () => Promise.reject(new Error('nothing is streamed')),
    close: () => undefined,
  };
  return { client: createClient(transport), calls };
}

const bodyOf = (call: Call | undefined): unknown => JSON.parse(call?.body?.text ?? 'null');

test('an object is read by its path, and one that is not there is null', async (t) => {
  const { client, calls } = stage([200, POD_OBJECT], [404, statusOf(404, 'NotFound', 'pods "p" not found')]);
  t.deepEqual(await client.get(POD, { namespace: 'ns', name: 'p' }), POD_OBJECT);
  t.is(await client.get(POD, { namespace: 'ns', name: 'p' }), null);
  t.deepEqual(calls[0], { method: 'GET', path: '/api/v1/namespaces/ns/pods/p' });
});

test('a list asks for what was said and nothing else, and comes in pages', async (t) => {
  const { client, calls } = stage(
    [200, { items: [POD_OBJECT], metadata: { resourceVersion: '7', continue: 'next' } }],
    [200, { items: null, metadata: { resourceVersion: '7', continue: '' } }],
  );
  const first = await client.list(POD, { namespace: 'ns', labelSelector: 'a=b,c!=d', limit: 1 });
  t.deepEqual(first, { items: [POD_OBJECT], resourceVersion: '7', continueToken: 'next' });
  const second = await client.list(POD, { namespace: null, fieldSelector: 'spec.nodeName=n', continueToken: 'next', resourceVersion: '0' });
  t.deepEqual(second, { items: [], resourceVersion: '7', continueToken: null });
  t.deepEqual(
    calls.map(({ path }) => path),
    [
      '/api/v1/namespaces/ns/pods?labelSelector=a%3Db%2Cc%21%3Dd&limit=1',
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn&resourceVersion=0&continue=next',
    ],
  );
});

test('an object is created in its namespace, under its kind', async (t) => {
  const { client, calls } = stage();
  await client.create(POD, POD_OBJECT);
  t.like(calls[0], { method: 'POST', path: '/api/v1/namespaces/ns/pods' });
  t.deepEqual(bodyOf(calls[0]), { ...POD_OBJECT, apiVersion: 'v1', kind: 'Pod' });
  t.is(calls[0]?.body?.contentType, 'application/json');
});

test('apply names its manager, and takes fields over only where it says so', async (t) => {
  const { client, calls } = stage();
  const deployment = { metadata: { name: 'd', namespace: 'ns' } };
  await client.apply(DEPLOYMENT, deployment, { fieldManager: 'me', force: true });
  await client.apply(DEPLOYMENT, deployment, { fieldManager: 'me', force: false, subresource: 'status' });
  t.deepEqual(
    calls.map(({ method, path }) => `${method} ${path}`),
    [
      'PATCH /apis/apps/v1/namespaces/ns/deployments/d?fieldManager=me&force=true',
      'PATCH /apis/apps/v1/namespaces/ns/deployments/d/status?fieldManager=me&force=false',
    ],
  );
  t.is(calls[0]?.body?.contentType, 'application/apply-patch+yaml');
  t.deepEqual(bodyOf(calls[0]), { ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' });
});

test('a patch is sent as it is, under the name of its form', async (t) => {
  const { client, calls } = stage();
  const ref = { namespace: 'ns', name: 'd' };
  await client.patch(DEPLOYMENT, ref, { spec: { replicas: 2 } }, { type: 'merge', fieldManager: 'me', subresource: 'scale' });
  await client.patch(DEPLOYMENT, ref, [{ op: 'remove', path: '/spec/paused' }], { type: 'json', fieldManager: 'me' });
  t.is(calls[0]?.path, '/apis/apps/v1/namespaces/ns/deployments/d/scale?fieldManager=me');
  t.is(calls[0]?.body?.contentType, 'application/merge-patch+json');
  t.deepEqual(bodyOf(calls[0]), { spec: { replicas: 2 } });
  t.is(calls[1]?.body?.contentType, 'application/json-patch+json');
});

test('a deletion says which object it means and how; what is gone is gone', async (t) => {
  const { client, calls } = stage(
    [200, POD_OBJECT],
    [404, statusOf(404, 'NotFound', 'not found')],
    [409, statusOf(409, 'Conflict', 'Precondition failed: UID in precondition: a, UID in object meta: b')],
    [
      409,
      statusOf(409, 'Conflict', 'the UID in the precondition (a) does not match the UID in record (b). The object might have been deleted'),
    ],
    [200, {}],
  );
  const ref = { namespace: 'ns', name: 'p' };
  t.is(await client.delete(POD, ref, { uid: 'a', resourceVersion: '7', gracePeriodSeconds: 5, propagation: 'Foreground' }), 'deleted');
  t.is(await client.delete(POD, ref, { uid: 'a' }), 'gone');
  t.is(await client.delete(POD, ref, { uid: 'a' }), 'gone');
  t.is(await client.delete(POD, ref, { uid: 'a' }), 'gone');
  t.is(await client.delete(NODE, { namespace: null, name: 'n' }, {}), 'deleted');
  t.deepEqual(bodyOf(calls[0]), {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: 'a', resourceVersion: '7' },
    gracePeriodSeconds: 5,
    propagationPolicy: 'Foreground',
  });
  t.deepEqual(bodyOf(calls[4]), { apiVersion: 'v1', kind: 'DeleteOptions' });
});

test('a refusal is an error with its reason; another version is no reason to call it gone', async (t) => {
  const conflict = statusOf(
    409,
    'Conflict',
    'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2)',
  );
  const { client } = stage([403, statusOf(403, 'Forbidden', 'pods is forbidden')], [409, conflict], [200, 'this is not JSON']);
  const error = await t.throwsAsync(client.create(POD, POD_OBJECT), { instanceOf: ApiError });
  t.like(error, { status: 403, reason: 'Forbidden', message: 'create pods ns/p: pods is forbidden' });
  await t.throwsAsync(client.delete(POD, { namespace: 'ns', name: 'p' }, { resourceVersion: '1' }), { instanceOf: ApiError });
  await t.throwsAsync(client.get(POD, { namespace: 'ns', name: 'p' }), { instanceOf: ApiError, message: /is not JSON/ });
});

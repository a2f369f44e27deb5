import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type Protection, type ServedPair, startEndpoint } from '../../../../operator/kube/endpoint.ts';
import { type Pages, textPage } from '../../../../operator/kube/page.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { makeKeyPem, makeServerCertificate } from '../../../../runtime/tls/certificate.ts';
import { servedPage } from '../../../support/served-page.ts';

async function started(t: ExecutionContext, pages: Pages): Promise<string> {
  const endpoint = await startEndpoint({ host: '127.0.0.1', port: 0 }, pages, silentLog);
  t.teardown(() => endpoint.stop());
  return `http://127.0.0.1:${endpoint.port}`;
}

test('pages are found by their path, whatever the query', async (t) => {
  const address = await started(t, { '/one': () => textPage(503, 'not yet') });
  const answer = await fetch(`${address}/one?verbose=1`);
  t.is(answer.status, 503);
  t.is(await answer.text(), 'not yet\n');
  t.is(answer.headers.get('cache-control'), 'no-store');
  const head = await fetch(`${address}/one`, { method: 'HEAD' });
  t.is(head.status, 503);
  t.is(await head.text(), '');
});

test('other paths and methods are refused', async (t) => {
  const address = await started(t, { '/one': () => textPage(200, 'ok') });
  t.is((await fetch(`${address}/two`)).status, 404);
  t.is((await fetch(`${address}/constructor`)).status, 404);
  t.is((await fetch(`${address}/one`, { method: 'POST', body: 'x' })).status, 405);
});

test('a page that fails takes nothing from the others', async (t) => {
  const address = await started(t, { '/bad': () => Promise.reject(new Error('a bug')), '/one': () => textPage(200, 'ok') });
  await t.throwsAsync(fetch(`${address}/bad`));
  t.is((await fetch(`${address}/one`)).status, 200);
});

test('the end does not wait for who is connected, and a port that is taken is told', async (t) => {
  const endpoint = await startEndpoint({ host: '127.0.0.1', port: 0 }, {}, silentLog);
  const socket = connect(endpoint.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  await t.throwsAsync(startEndpoint({ host: '127.0.0.1', port: endpoint.port }, {}, silentLog), { code: 'EADDRINUSE' });
  await t.notThrowsAsync(endpoint.stop());
});

async function pairOf(host: string, seed: number): Promise<ServedPair> {
  const key = await makeKeyPem();
  return { cert: await makeServerCertificate(key, [host], { nowMs: Date.now(), random: seededRandom(seed) }), key };
}

test('over TLS only those get a page whom the guard lets in, and what is not there needs no guard', async (t) => {
  const asked: (readonly [path: string, authorization: string | undefined])[] = [];
  const protection: Protection = {
    pair: await pairOf('first.example', 1),
    follow: () => ({ stop: () => undefined }),
    guard: async (path, authorization) => {
      asked.push([path, authorization]);
      return authorization === 'Bearer good' ? null : { ...textPage(401, 'who are you'), headers: { 'www-authenticate': 'Bearer' } };
    },
  };
  const place = { host: '127.0.0.1', port: 0 };
  const endpoint = await startEndpoint(place, { '/one': () => textPage(200, 'secret') }, silentLog, protection);
  t.teardown(() => endpoint.stop());
  t.like(await servedPage(endpoint.port, '/one?x=1', 'good'), { status: 200, body: 'secret\n' });
  const refused = await servedPage(endpoint.port, '/one');
  t.like(refused, { status: 401, body: 'who are you\n' });
  t.is(refused.headers['www-authenticate'], 'Bearer');
  t.is((await servedPage(endpoint.port, '/two', 'good')).status, 404);
  t.deepEqual(asked, [
    ['/one', 'Bearer good'],
    ['/one', undefined],
  ]);
  await t.throwsAsync(fetch(`http://127.0.0.1:${endpoint.port}/one`));
});

test('a certificate that takes the place of another is shown from then on, and one that is none is not', async (t) => {
  let give: (pair: ServedPair) => void = () => undefined;
  let isFollowed = true;
  const protection: Protection = {
    pair: await pairOf('first.example', 1),
    follow: (onPair) => {
      give = onPair;
      return {
        stop: () => {
          isFollowed = false;
        },
      };
    },
    guard: async () => null,
  };
  const endpoint = await startEndpoint({ host: '127.0.0.1', port: 0 }, { '/one': () => textPage(200, 'ok') }, silentLog, protection);
  t.teardown(() => endpoint.stop());
  const shown = async (): Promise<string | undefined> => (await servedPage(endpoint.port, '/one')).certificate.subjectaltname;
  t.is(await shown(), 'DNS:first.example');
  give(await pairOf('second.example', 2));
  t.is(await shown(), 'DNS:second.example');
  give({ cert: 'no certificate', key: 'no key' });
  t.is(await shown(), 'DNS:second.example');
  await endpoint.stop();
  t.false(isFollowed);
});

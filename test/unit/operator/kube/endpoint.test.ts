import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { startEndpoint } from '../../../../operator/kube/endpoint.ts';
import { type Pages, textPage } from '../../../../operator/kube/page.ts';
import { silentLog } from '../../../../runtime/base/log.ts';

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

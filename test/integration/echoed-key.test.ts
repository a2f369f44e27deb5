import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { exitOf, filesBelow, makeRun } from '../support/run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const KEY = 'sk-echo/5d1f0c9a77';
const TENANT = 'tenant-secret-81b2';

test('a server that repeats the key in its refusals: it reaches no message, log, event, status or error record', async (t) => {
  t.timeout(300_000);
  const server = createServer((request, response) => {
    request.resume();
    const told = `bad key: ${request.headers.authorization}, ${KEY}, /v1?key=${encodeURIComponent(KEY)} of ${String(request.headers['x-tenant'])}`;
    request.on('end', () => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: told } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = makeRun(t, {
    lines: batchLines(4),
    args: ['--base-url', url, '--workers', '1', '--header', `X-Tenant: ${TENANT}`, '--log-level', 'debug'],
    env: { OPENAI_API_KEY: KEY },
  });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 5, command.stderr());
  t.regex(command.stderr(), /bad key: \[hidden\]|bad key: Bearer \[hidden\]/);
  const status = await run.verb('status', '--json');
  const places = [
    ...filesBelow(run.dir).map(({ path, bytes }) => ({ where: path, text: bytes.toString('latin1') })),
    ...[command.stdout(), command.stderr(), status.stdout, status.stderr].map((text) => ({ where: 'output', text })),
  ];
  const told = places.filter(({ text }) => /5d1f0c9a77|tenant-secret/.test(text)).map(({ where }) => where);
  t.deepEqual(told, []);
});

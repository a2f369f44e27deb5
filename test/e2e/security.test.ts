import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, filesBelow, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

test('dev CA of rollout run: made once with mode 0600, the line printed; the second start reads it', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, { lines: batchLines(200), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  const tls = join(run.state, 'tls');
  const first = run.startProcess();
  await until('items are executed', PATIENCE_MS, () => server.total() > 10);
  first.signal('SIGINT');
  t.is(await exitOf(first, PATIENCE_MS), 130, first.stderr());
  t.deepEqual(
    first
      .stderr()
      .match(/Certificates for this run's own processes were made in .*/g)
      ?.map((line) => line.includes(tls)),
    [true],
  );
  t.false(first.stdout().includes('own processes were made'));
  const ca = readFileSync(join(tls, 'ca.pem'), 'utf8');
  t.is(statSync(join(tls, 'ca.key.pem')).mode & 0o777, 0o600);
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  t.false(second.stderr().includes('own processes were made'));
  t.is(readFileSync(join(tls, 'ca.pem'), 'utf8'), ca);
});

test('secrets: the API key and header values are in no file of the state directory, no arguments, no output', async (t) => {
  t.timeout(300_000);
  const key = 'sk-test-5d1f0c9a77';
  const header = 'hidden-header-81b2';
  const server = await modelServer(t, (item, nth) =>
    item.endsWith('3') && nth === 1 ? { kind: 'status', status: 500 } : { kind: 'ok', afterMs: 100 },
  );
  const run = makeRun(t, {
    lines: batchLines(100),
    args: ['--base-url', server.url, '--workers', '2', '--concurrency', '4', '--header', `X-Tenant: ${header}`, '--log-level', 'debug'],
    env: { OPENAI_API_KEY: key },
  });
  const command = run.start();
  await until('items are executed', PATIENCE_MS, () => server.total() > 10);
  const children = run.processes().filter((one) => one.role !== 'cli');
  t.is(children.length, 3);
  t.is(server.lastHeaders().authorization, `Bearer ${key}`);
  t.is(server.lastHeaders()['x-tenant'], header);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  const places = [
    ...filesBelow(run.state).map(({ path, bytes }) => ({ where: path, text: bytes.toString('latin1') })),
    ...children.map((one) => ({ where: `arguments of the ${one.role}`, text: one.argv.join(' ') })),
    { where: 'stdout', text: command.stdout() },
    { where: 'stderr', text: command.stderr() },
  ];
  t.true(places.length > 10);
  t.deepEqual(
    places.filter(({ text }) => text.includes(key)).map(({ where }) => where),
    [],
  );
  t.deepEqual(
    places.filter(({ text }) => text.includes(header)).map(({ where }) => where),
    [],
  );
});

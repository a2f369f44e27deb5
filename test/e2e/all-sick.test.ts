import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type Behaviour, modelServer, OK } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';

const SICK_MS = 45_000;

async function runsBesideSickness(t: ExecutionContext, habit: Behaviour): Promise<void> {
  const untilMs = performance.now() + SICK_MS;
  const server = await modelServer(t, () => (performance.now() < untilMs ? habit : OK));
  const run = makeRun(t, { lines: batchLines(100), args: ['--base-url', server.url, '--workers', '1', '--max-attempts', '1'] });
  const command = run.start();
  t.is(await exitOf(command, 120_000), 0, `${habit.kind}: ${command.stderr()}`);
  t.true(server.total() < 100 + 200, `${habit.kind}: ${server.total()} requests for 100 items`);
  t.is(run.results().length, 100);
  await checkInvariant(t, run);
}

test(`every server is sick for ${SICK_MS / 1_000} s: nothing counts, and the run goes on by itself`, async (t) => {
  t.timeout(240_000);
  const habits: readonly Behaviour[] = [{ kind: 'status', status: 502 }, { kind: 'empty' }];
  await Promise.all(habits.map((habit) => runsBesideSickness(t, habit)));
});

test('sick for longer than --wait-backend: exit 4 with the reason, and the same command finishes the list', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t, () => ({ kind: 'status', status: 500, error: { message: 'CUDA error: device-side assert' } }));
  const run = makeRun(t, {
    lines: batchLines(100),
    args: ['--base-url', server.url, '--workers', '1', '--max-attempts', '1', '--wait-backend', '5s'],
  });
  const first = run.start();
  t.is(await exitOf(first, 60_000), 4, first.stderr());
  t.regex(first.stderr(), /CUDA error/);
  t.deepEqual(run.processes(), []);
  server.answerWith(() => OK);
  const second = run.start();
  t.is(await exitOf(second, 60_000), 0, second.stderr());
  t.is(run.results().length, 100);
  await checkInvariant(t, run);
});

test('a list too short to tell whose fault it is: each item is tried alone, and recorded after its attempts', async (t) => {
  t.timeout(240_000);
  const server = await modelServer(t, () => ({ kind: 'status', status: 500, error: { message: 'cannot parse the template' } }));
  const run = makeRun(t, { lines: batchLines(3), args: ['--base-url', server.url, '--workers', '1', '--max-attempts', '2'] });
  const command = run.start();
  t.is(await exitOf(command, 200_000), 1, command.stderr());
  t.deepEqual(
    run.failures().map((line) => [line.error?.code, line.response?.status_code]),
    [
      ['http_500', 500],
      ['http_500', 500],
      ['http_500', 500],
    ],
  );
  t.true(server.total() >= 6 && server.total() <= 20, `${server.total()} requests`);
  await checkInvariant(t, run);
});

test('a server that only throttles any more, for longer than --wait-backend: exit 4, and the same command goes on', async (t) => {
  t.timeout(180_000);
  const busy: Behaviour = { kind: 'status', status: 503, headers: { 'retry-after': '3600' } };
  let answers = 10;
  const server = await modelServer(t, () => {
    answers -= 1;
    return answers >= 0 ? OK : busy;
  });
  const run = makeRun(t, { lines: batchLines(30), args: ['--base-url', server.url, '--workers', '1', '--wait-backend', '2s'] });
  const first = run.start();
  t.is(await exitOf(first, 60_000), 4, first.stderr());
  t.regex(first.stderr(), /answered 503.* in a row without a result.*the same command goes on/s);
  server.answerWith(() => OK);
  const second = run.start();
  t.is(await exitOf(second, 60_000), 0, second.stderr());
  t.is(run.results().length, 30);
  await checkInvariant(t, run);
});

test('a key that expires near the end of a list pauses the run, and costs no item; with a new one the same command finishes', async (t) => {
  t.timeout(240_000);
  const server = await modelServer(t, () =>
    server.total() > 15 ? { kind: 'status', status: 401, error: { message: 'key expired' } } : OK,
  );
  const run = makeRun(t, { lines: batchLines(30), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '2'] });
  const paused = run.start();
  t.is(await exitOf(paused, 200_000), 5, paused.stderr());
  t.regex(paused.stderr(), /key expired/);
  t.deepEqual(
    run.events().filter((event) => event['kind'] === 'item_failed'),
    [],
  );
  server.answerWith(() => OK);
  const second = run.start();
  t.is(await exitOf(second, 60_000), 0, second.stderr());
  await checkInvariant(t, run);
});

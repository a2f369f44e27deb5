import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

test('while everything fails, progress, status and events say why, in the words of the server, and when the next try is', async (t) => {
  t.timeout(120_000);
  const server = await modelServer(t, () => ({ kind: 'status', status: 500, error: { message: 'CUDA error: out of memory' } }));
  const run = makeRun(t, { lines: batchLines(5), args: ['--base-url', server.url, '--max-attempts', '50'] });
  const command = run.start();
  await until('progress says why', 60_000, () => /CUDA error.*(next try|tried again every few seconds)/.test(command.stderr()));
  const status = await until('status says why', 60_000, async () => {
    const told = await verb(['status', '--state', run.state], run.dir);
    return told.stdout.includes('CUDA error') ? told : undefined;
  });
  t.is(status.exit, 0);
  await until('an event says why', 60_000, () => run.events().some((event) => /CUDA error/.test(String(event['reason']))));
  command.signal('SIGTERM');
  t.is(await exitOf(command, 60_000), 130);
});

test('a run in which nothing ends for --stall-timeout ends with 4, says why, keeps everything, and the same command goes on', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t, (item) => ({ kind: item === 'item-000001' ? 'hang' : 'ok' }));
  const run = makeRun(t, { lines: batchLines(3), args: ['--base-url', server.url, '--stall-timeout', '6s'] });
  const command = run.start();
  t.is(await exitOf(command, 120_000), 4, command.stderr());
  t.regex(
    command.stderr(),
    /The run ends: no item has ended within the time that it has \(--stall-timeout, .*\): .*; waiting up to 20s for 1 item in flight/,
  );
  t.notRegex(command.stderr(), /has not answered/);
  t.regex(command.stderr(), /The run has stopped: no item has ended within the time that it has \(--stall-timeout/);
  t.regex(command.stderr(), /2 recorded/);
  t.true(run.events().some((event) => event['kind'] === 'run_finished' && event['state'] === 'stalled'));
  server.answerWith(() => ({ kind: 'ok' }));
  const again = run.start();
  t.is(await exitOf(again, 120_000), 0, again.stderr());
  t.is(run.results().length, 3);
});

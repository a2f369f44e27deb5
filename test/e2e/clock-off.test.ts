import { join } from 'node:path';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000;

test('a run that is gone on with under a clock ten years back says that its certificates are not yet valid, and advises no kill', async (t) => {
  t.timeout(180_000);
  const clock = fakeClock(join(scratch(t), 'clock'));
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 300 }));
  const run = makeRun(t, { lines: batchLines(60), args: ['--base-url', server.url, '--concurrency', '2'], env: clock.env });
  const first = run.startProcess();
  await until('the run is under way', PATIENCE_MS, () => server.total() >= 4);
  first.signal('SIGTERM');
  t.is(await exitOf(first, 60_000), 130, first.stderr());
  clock.stepTo(-TEN_YEARS_MS);
  const again = run.startProcess();
  await until('the cause is told', 90_000, () => /not yet valid|not valid before/i.test(again.stderr()));
  t.notRegex(again.stderr(), /kill it/);
  if (!again.hasExited()) again.signal('SIGKILL');
  await again.exited;
});

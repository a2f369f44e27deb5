import test from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { until } from '../support/until.ts';

/** For processes to start and to end, on a machine under full load. */
const END_MS = 120_000;

test('failed lines run again, several times in a row: results take the place of errors, and what is done is not asked for again', async (t) => {
  t.timeout(400_000);
  const ids = itemIds(12);
  const refused = new Set(ids.slice(0, 4));
  const server = await modelServer(t, (item) => (refused.has(item) ? { kind: 'status', status: 400 } : { kind: 'ok' }));
  const lines = [...batchLines(12), 'no item', batchLines(1)[0] ?? ''];
  const run = makeRun(t, { lines, args: ['--base-url', server.url] });
  const first = run.start();
  t.is(await exitOf(first, END_MS), 1, first.stderr());
  t.regex(first.stderr(), /rollout retry --failed, with the arguments of this command \(2 lines are no items and stay\)/);
  await checkInvariant(t, run);

  for (const healed of [ids.slice(0, 1), ids.slice(1, 4)]) {
    const asked = server.total();
    const expected = refused.size;
    for (const id of healed) refused.delete(id);
    const retry = run.retry();
    t.is(await exitOf(retry, END_MS), 1, retry.stderr());
    t.true(retry.stderr().includes(`${expected} failed line${expected === 1 ? '' : 's'} run again; 2 lines are no items`), retry.stderr());
    t.is(server.total() - asked, expected, 'only failed lines are asked for');
    t.is(run.failures().length, refused.size + 2);
    await checkInvariant(t, run);
  }
  const asked = server.total();
  const last = run.retry();
  t.is(await exitOf(last, END_MS), 1, last.stderr());
  t.regex(last.stderr(), /2 bad lines are not run again; correct them[\s\S]*Nothing was executed/);
  t.is(server.total(), asked, 'lines that are no items do not run');
});

test('a retry that is killed goes on with the command of the run, and each line ends in exactly one of the files', async (t) => {
  t.timeout(400_000);
  let isWell = false;
  const fine = new Set(itemIds(10));
  const server = await modelServer(t, (item) =>
    isWell || fine.has(item) ? { kind: 'ok', afterMs: 150 } : { kind: 'status', status: 400 },
  );
  const run = makeRun(t, { lines: batchLines(60), args: ['--base-url', server.url, '--concurrency', '4'] });
  const first = run.start();
  await exitOf(first, END_MS);
  isWell = true;
  const before = server.total();
  const retry = run.retryProcess();
  await until('the retry is under way', END_MS, () => server.total() > before + 12);
  run.killEverything();
  await retry.exited;
  const verified = await run.verb('verify');
  t.is(verified.exit, 2, 'the run is not finished');
  const again = run.start();
  t.is(await exitOf(again, END_MS), 0, again.stderr());
  t.is(run.results().length, 60);
  await checkInvariant(t, run);
});

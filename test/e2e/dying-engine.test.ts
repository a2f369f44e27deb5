import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { type Behaviour, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 500;
const CONCURRENCY = 4;
/** Long enough that the rate is set by it, and not by how busy this machine is. */
const LATENCY_MS = 200;
const CALM_MS = 3_000;

test('one model server dies again and again: the workers of the others keep at least 75 % of their rate, and the run never fails', async (t) => {
  t.timeout(300_000);
  const answer = (): Behaviour => ({ kind: 'ok', afterMs: LATENCY_MS });
  const others = [await modelServer(t, answer), await modelServer(t, answer), await modelServer(t, answer)];
  const port = await freePort();
  let dying = await modelServer(t, answer, port);
  const baseUrls = [...others, dying].flatMap(({ url }) => ['--base-url', url]);
  const run = makeRun(t, { lines: batchLines(ITEMS), args: [...baseUrls, '--workers', '4', '--concurrency', String(CONCURRENCY)] });
  const command = run.start();
  await until('all four work', PATIENCE_MS, () => [...others, dying].every((server) => server.total() > CONCURRENCY));

  const total = (): number => others.reduce((sum, server) => sum + server.total(), 0);
  const rate = async (during: () => Promise<void>): Promise<number> => {
    const [before, fromMs] = [total(), performance.now()];
    await during();
    return ((total() - before) * 1_000) / (performance.now() - fromMs);
  };
  const calm = await rate(() => sleep(CALM_MS));
  let deaths = 0;
  const troubled = await rate(async () => {
    for (; deaths < 6; deaths += 1) {
      await dying.close();
      await sleep(300);
      dying = await modelServer(t, answer, port);
      await sleep(200);
    }
  });
  t.false(command.hasExited(), 'the run went on all the time');
  t.log(`${calm.toFixed(1)} items/s while all live, ${troubled.toFixed(1)} while one died ${deaths} times`);
  t.true(troubled >= 0.75 * calm, `${troubled.toFixed(1)} against ${calm.toFixed(1)} items/s`);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, ITEMS);
});

import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 60;
const SLOW = 2;
/** Of the slow items where they run first; all others take SHORT_MS. */
const SLOW_MS = 10_000;
const SHORT_MS = 100;

interface World {
  readonly run: Run;
  readonly servers: readonly ModelServer[];
  /** The items that were asked of the slow server first, and so many milliseconds each. */
  readonly slow: readonly string[];
}

/** Two workers with a server each; the second server is slow with the first items that it is asked for, wherever they stand. */
async function world(t: ExecutionContext, more: readonly string[]): Promise<World> {
  const slow: string[] = [];
  const second = await modelServer(t, (item) => {
    if (slow.length < SLOW) slow.push(item);
    return { kind: 'ok', afterMs: slow.includes(item) ? SLOW_MS : SHORT_MS };
  });
  const first = await modelServer(t, async () => {
    // A worker that starts late must not find everything done.
    await until('the slow items have started', PATIENCE_MS, () => slow.length === SLOW);
    return { kind: 'ok', afterMs: SHORT_MS };
  });
  const servers = [first, second];
  const args = [...servers.flatMap(({ url }) => ['--base-url', url]), '--workers', '2', '--concurrency', '4', ...more];
  return { run: makeRun(t, { lines: batchLines(ITEMS), args }), servers, slow };
}

/** How long the run goes on after everything but the slow items is done. */
async function tailMs({ run, servers, slow }: World, t: ExecutionContext): Promise<number> {
  const command = run.start();
  const others = (): number =>
    [...new Set(servers.flatMap((server) => [...server.executions.keys()]))].filter((item) => !slow.includes(item)).length;
  await until('all but the slow items are executed', PATIENCE_MS, () => others() === ITEMS - SLOW);
  const fromMs = performance.now();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  return performance.now() - fromMs;
}

const twice = ({ servers }: World): readonly string[] =>
  itemIds(ITEMS).filter((item) => servers.reduce((sum, server) => sum + (server.executions.get(item) ?? 0), 0) > 1);

test('C4.11: at the end of the list slow items get a second attempt elsewhere, the first outcome is the record, and the loser is stopped', async (t) => {
  t.timeout(300_000);
  const without = await world(t, []);
  const withoutMs = await tailMs(without, t);
  await checkInvariant(t, without.run);
  t.deepEqual(twice(without), [], 'nothing is executed twice without the option');
  const one = await world(t, ['--stragglers']);
  const [first, second] = one.servers;
  const withMs = await tailMs(one, t);
  await checkInvariant(t, one.run);
  t.log(`the tail takes ${Math.round(withMs)} ms, without the option ${Math.round(withoutMs)} ms`);
  t.true(withMs < withoutMs / 2, `${Math.round(withMs)} ms against ${Math.round(withoutMs)} ms`);
  t.deepEqual(twice(one), one.slow.toSorted());
  for (const item of one.slow) t.is(first?.executions.get(item), 1, 'its second attempt ran on the other worker');
  t.is(second?.inFlight(), 0, 'nobody waits for the slow answers any more');
});

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
  /** The items that were asked for first. */
  readonly slow: readonly string[];
}

/** Two workers, and a server that is slow with the first execution of the first items that it is asked for. */
async function world(t: ExecutionContext, more: readonly string[]): Promise<World> {
  const slow: string[] = [];
  const server = await modelServer(t, (item, nth) => {
    if (slow.length < SLOW && nth === 1) slow.push(item);
    return { kind: 'ok', afterMs: slow.includes(item) && nth === 1 ? SLOW_MS : SHORT_MS };
  });
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '4', ...more];
  return { run: makeRun(t, { lines: batchLines(ITEMS), args }), servers: [server], slow };
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

test('at the end of the list slow items get a second attempt elsewhere, the first outcome is the record, and the loser is stopped', async (t) => {
  t.timeout(300_000);
  const without = await world(t, []);
  const withoutMs = await tailMs(without, t);
  await checkInvariant(t, without.run);
  t.deepEqual(twice(without), [], 'nothing is executed twice without the option');
  const one = await world(t, ['--stragglers']);
  const [server] = one.servers;
  const withMs = await tailMs(one, t);
  await checkInvariant(t, one.run);
  t.log(`the tail takes ${Math.round(withMs)} ms, without the option ${Math.round(withoutMs)} ms`);
  t.true(withMs < withoutMs / 2, `${Math.round(withMs)} ms against ${Math.round(withoutMs)} ms`);
  t.deepEqual(twice(one), one.slow.toSorted());
  for (const item of one.slow) t.is(server?.executions.get(item), 2, 'it had a second attempt');
  t.is(server?.inFlight(), 0, 'nobody waits for the slow answers any more');
});

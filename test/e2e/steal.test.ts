import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Random } from '../../runtime/base/random.ts';
import { Askers } from '../support/askers.ts';
import { batchLines } from '../support/batch-lines.ts';
import { type Behaviour, type ModelServer, modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { type TestStore, testStore } from '../support/test-store.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { workerPid } from '../support/worker-pid.ts';

const ITEMS = 300;
const WORKERS = 3;
const CONCURRENCY = 32;
/** concurrency / 4, the default. */
const PREFETCH = 8;
/** Items that the slow server answers without waiting for a steal. */
const EARLY = 4;
/** A test that waits so long for a steal has failed: it says so itself. */
const HOLD_MS = 30_000;
const ROUNDS = ['embedded', 'embedded', 'embedded', 'embedded', 'redis'] as const;
const KILL_ROUNDS = ['embedded', 'embedded', 'embedded', 'embedded', 'redis', 'redis'] as const;

interface Fleet {
  readonly run: Run;
  readonly servers: readonly ModelServer[];
  /** The fast workers have had enough, and nothing is asked for by them now. */
  readonly areFastIdle: () => boolean;
}

/**
 * Three workers, and a server that knows which of them asks. It answers the last one only once the others have nothing left: a few items
 * at about the moment at which the backlog of that worker is recalled, so that outcomes and recalls cross, and the others when a steal is
 * known.
 */
async function fleet(t: ExecutionContext, random: Random, store: TestStore): Promise<Fleet> {
  let asked = 0;
  let [fastAsked, fastDone] = [0, 0];
  const fastAnswer = async (): Promise<Behaviour> => {
    fastAsked += 1;
    // A worker that starts late must not find everything done.
    await until('the slow worker is full', HOLD_MS, () => asked >= CONCURRENCY);
    await sleep(between(random, 1, 40));
    fastDone += 1;
    return { kind: 'ok' };
  };
  const slowAnswer = async (): Promise<Behaviour> => {
    asked += 1;
    const isEarly = asked <= EARLY;
    await until('the others are done', HOLD_MS, () => fastDone >= ITEMS - CONCURRENCY - PREFETCH);
    if (!isEarly) await until('items are stolen', HOLD_MS, () => steals(run).length > 0);
    return { kind: 'ok', afterMs: between(random, 0, isEarly ? 600 : 300) };
  };
  const askers = new Askers(() => run);
  const server = await modelServer(t, (_item, _nth, peerPort) =>
    askers.at(peerPort).name === `w${WORKERS}` ? slowAnswer() : fastAnswer(),
  );
  const args = ['--base-url', server.url, '--workers', String(WORKERS), '--concurrency', String(CONCURRENCY), ...store.args];
  const run = makeRun(t, { lines: batchLines(ITEMS), args });
  return { run, servers: [server], areFastIdle: () => fastAsked > 80 && fastAsked === fastDone };
}

/** How often each item arrived at any of the servers. */
function executions(servers: readonly ModelServer[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const server of servers) for (const [item, count] of server.executions) total.set(item, (total.get(item) ?? 0) + count);
  return total;
}

function steals(run: Run): readonly Readonly<Record<string, unknown>>[] {
  return run.events().filter((event) => event['kind'] === 'items_stolen');
}

function handedBack(run: Run): number {
  const failed = run.events().filter((event) => event['kind'] === 'worker_failed');
  return failed.reduce((sum, event) => sum + Number(event['handedBack']), 0);
}

for (const [round, kind] of ROUNDS.entries()) {
  test(`concurrent_ack_and_steal_no_double_execute (${kind}): nothing is killed, round ${round + 1}`, async (t) => {
    t.timeout(300_000);
    const { run, servers } = await fleet(t, testRandom(t), await testStore(t, kind));
    const command = run.start();
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    t.is(run.results().length, ITEMS);
    const counts = executions(servers);
    t.is(counts.size, ITEMS);
    t.deepEqual(
      [...counts].filter(([, count]) => count !== 1),
      [],
      'every item is executed exactly once',
    );
    const moved = steals(run).reduce((sum, event) => sum + Number(event['items']), 0);
    t.log(`${moved} items stolen in ${steals(run).length} steals`);
    t.true(moved > 0, 'items were stolen');
  });
}

for (const [round, kind] of KILL_ROUNDS.entries()) {
  const isVictim = round % 2 === 0;
  /** About when the recall is on its way, else once a steal is known. */
  const isBefore = round % 4 > 1;
  test(`concurrent_ack_and_steal_no_double_execute (${kind}): the ${isVictim ? 'victim' : 'thief'} is killed -9 as items are stolen, round ${round + 1}`, async (t) => {
    t.timeout(300_000);
    const random = testRandom(t);
    const { run, servers, areFastIdle } = await fleet(t, random, await testStore(t, kind));
    const command = run.start();
    if (isBefore) {
      await until('the fast workers have nothing left', PATIENCE_MS, areFastIdle);
      await sleep(between(random, 0, 300));
    } else await until('items are stolen', PATIENCE_MS, () => steals(run).length > 0 || command.hasExited());
    const steal = steals(run)[0];
    const name = ((isVictim ? steal?.['from'] : steal?.['to']) ?? (isVictim ? 'w3' : 'w1')) as string;
    const pid = workerPid(run, name);
    if (pid !== undefined) signal(pid, 'SIGKILL');
    t.not(pid, undefined);
    t.false(command.hasExited(), 'killed mid-run');
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    t.is(run.results().length, ITEMS);
    const counts = executions(servers);
    const again = [...counts.values()].reduce((sum, count) => sum + count, 0) - ITEMS;
    t.log(`${name} was killed, ${steals(run).length} steals, ${again} executions again`);
    // How much it held follows its pace: more than its slots and its prefetch, where items end at once.
    t.true(again <= handedBack(run), `${again} executions again, ${handedBack(run)} were held by the worker that was killed`);
    if (!isBefore) t.true(steals(run).length > 0, 'items were stolen');
  });
}

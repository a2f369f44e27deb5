import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { seededRandom, systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger, Settlement } from '../../runtime/ledger/contract.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import type { ServerAddress } from '../../runtime/model/redis-url.ts';
import { claim } from '../support/commit-parts.ts';
import { row, scanned, start } from '../support/ledger-start.ts';
import { ALL, type RedisCluster, redisCluster, redisClusterOf } from '../support/redis-cluster.ts';
import { redisServer } from '../support/redis-server.ts';
import { silentServer } from '../support/silent-server.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const cluster = await redisClusterOf(test);

const answered = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered({ clock: systemClock, random: systemRandom }, ask);

async function opened(t: ExecutionContext, of: RedisCluster, runId: string, seeds?: readonly ServerAddress[]): Promise<Ledger> {
  const ledger = await of.open(runId, seeds === undefined ? {} : { seeds });
  t.teardown(() => ledger.dispose());
  return ledger;
}

const BATCH = 20;
const ITEMS = 4_000;
const MOVES = 8;

test('L16, L20: a run whose slot moves from node to node while it commits loses nothing and records nothing twice', async (t) => {
  t.timeout(120_000);
  const runId = cluster.newRun();
  const ledger = await opened(t, cluster, runId);
  await start(ledger);
  let owner = await cluster.ownerOf(runId);
  const move = async (): Promise<void> => {
    const next = cluster.otherThan(owner);
    await cluster.beginMove(runId, owner, next, ALL);
    await cluster.endMove(runId, owner, next);
    owner = next;
  };
  let [moves, moving]: [number, Promise<void>] = [0, Promise.resolve()];
  let settles: readonly Settlement[] = [];
  for (let cursor = 0; cursor < ITEMS || settles.length > 0; ) {
    if (cursor > ((moves + 1) * ITEMS) / (MOVES + 1)) {
      moves += 1;
      moving = moving.then(move);
    }
    const count = Math.min(BATCH, ITEMS - cursor);
    const request = { settles, handBacks: [], claims: [{ worker: 'w1', picks: [{ cursor, count }] }] };
    const reply = await answered(() => ledger.commit(0, request));
    if (reply.kind !== 'committed') return t.fail(reply.kind);
    t.true(reply.settled.every((verdict) => verdict === 'accepted' || verdict === 'recorded'));
    settles = Array.from({ length: count }, (_, n) => ({ index: cursor + n, row: row('w1'), isResult: true }));
    cursor += count;
  }
  await moving;
  t.is(moves, MOVES);
  t.like(await answered(() => scanned(ledger, 0)), { running: [], handedBack: [], progress: { done: ITEMS, cursor: ITEMS } });
  t.like(await ledger.tallies(), [{ epoch: 0, count: ITEMS }]);
});

test('L20: while the slot of a run is on its way nothing is carried out, however far it has come, and afterwards the same ledger goes on', async (t) => {
  for (const keys of [0, 2, ALL]) {
    const runId = cluster.newRun();
    const ledger = await opened(t, cluster, runId);
    await start(ledger);
    const from = await cluster.ownerOf(runId);
    const to = cluster.otherThan(from);
    await cluster.beginMove(runId, from, to, keys);
    const ask = () => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    const error = await t.throwsAsync(ask(), { instanceOf: CallFailed, message: /(?:TRYAGAIN|ASK).*on its way.*--cluster fix/ });
    t.like(error, { fate: 'not-executed' });
    await cluster.endMove(runId, from, to);
    t.is(await cluster.ownerOf(runId), to);
    t.like(await answered(ask), { kind: 'claimed', cursor: 3 });
    t.like(await scanned(ledger, 0), { progress: { cursor: 3, running: 3 } });
  }
});

test('each run is reached at the node that has it, from every node, and a moved one at once by who comes anew', async (t) => {
  const owners = new Set<number>();
  for (let n = 0; n < 6; n += 1) {
    const runId = cluster.newRun();
    await start(await opened(t, cluster, runId));
    const owner = await cluster.ownerOf(runId);
    owners.add(owner.port);
    for (const { port } of cluster.nodes) {
      const reader = await opened(t, cluster, runId, [{ host: '127.0.0.1', port }]);
      t.like(await reader.readLease(), { lease: { holder: 'first' } });
    }
    await cluster.beginMove(runId, owner, cluster.otherThan(owner), ALL);
    await cluster.endMove(runId, owner, cluster.otherThan(owner));
    t.like(await (await opened(t, cluster, runId)).readLease(), { lease: { holder: 'first' } });
  }
  t.true(owners.size > 1, 'runs are on several nodes');
});

test('without the node that has the run nothing is carried out, each try says why, and the run goes on when it is back', async (t) => {
  const own = await redisCluster(t);
  const ledger = await opened(t, own, 'run');
  await start(ledger);
  const owner = await own.ownerOf('run');
  await owner.kill();
  const ask = () => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
  const heard = await until('the words of the others', PATIENCE_MS, () =>
    ask().then(
      () => undefined,
      (error: Error) => (/CLUSTERDOWN/.test(error.message) ? error : undefined),
    ),
  );
  t.true(heard instanceof CallFailed);
  t.regex(heard.message, /CLUSTERDOWN.*CLUSTER NODES/);
  await owner.start();
  t.like(await answered(ask), { kind: 'claimed', cursor: 3 });
});

test('several servers that are no Cluster are refused: two coordinators might each have one', async (t) => {
  const [a, b] = [await redisServer(t), await redisServer(t)];
  const seeds = [a, b].map(({ port }) => ({ host: '127.0.0.1', port }));
  const refused = openRedisLedger({ runId: 'run', redis: { seeds }, random: seededRandom(1), onError: () => undefined });
  await t.throwsAsync(refused, { code: 'STORE_UNFIT', message: /several Redis servers.*server by itself.*redis\+sentinel/ });
});

test('a named server that says nothing, or was made anew without the Cluster, is passed over', async (t) => {
  t.timeout(120_000);
  const others = cluster.nodes.map(({ port }) => port);
  for (const port of [await silentServer(t), (await redisServer(t)).port]) {
    const seeds = [port, ...others].map((one) => ({ host: '127.0.0.1', port: one }));
    const ledger = await opened(t, cluster, cluster.newRun(), seeds);
    t.is((await ledger.readLease()).lease, null);
  }
});

test('a database other than 0 is refused on a Cluster', async (t) => {
  await t.throwsAsync(cluster.open('run', { db: 3 }), { code: 'STORE_UNFIT', message: /database 3.*a cluster has only 0/ });
});

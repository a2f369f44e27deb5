import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { claim } from '../support/commit-parts.ts';
import { scanned, start, win } from '../support/ledger-start.ts';
import { type RedisCluster, redisCluster } from '../support/redis-cluster.ts';

const answered = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered({ clock: systemClock, random: systemRandom }, ask);

/** A run on a Cluster with a replica of each node. */
async function begun(t: ExecutionContext): Promise<{ readonly cluster: RedisCluster; readonly ledger: Ledger }> {
  t.timeout(120_000);
  const cluster = await redisCluster(t, { replicas: 1 });
  const ledger = await cluster.open('run');
  t.teardown(() => ledger.dispose());
  await start(ledger);
  return { cluster, ledger };
}

test('the node of a run is killed: the ledger follows it to the replica that takes over, also where the killed one comes back', async (t) => {
  const { cluster, ledger } = await begun(t);
  const before = await cluster.ownerOf('run');
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { kind: 'claimed', cursor: 3 });
  await before.replicated(1);
  await before.kill();
  t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }])), { kind: 'claimed', cursor: 6 });
  t.not(await cluster.ownerOf('run'), before);
  await before.start();
  const anew = await cluster.open('run');
  t.teardown(() => anew.dispose());
  t.like(await anew.progress(), { cursor: 6 });
  t.like(await scanned(ledger, 0), { progress: { cursor: 6, running: 6 } });
});

test('L40: a replica that takes over without the last writes is refused by the next verb, and a coordinator that begins anew goes on', async (t) => {
  const { cluster, ledger } = await begun(t);
  const owner = await cluster.ownerOf('run');
  await owner.replicated(1);
  const replica = await cluster.replicaOf(owner);
  await owner.cutOff([replica]);
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { kind: 'claimed', cursor: 3 });
  await owner.kill();
  replica.signal('SIGCONT');
  await t.throwsAsync(
    answered(() => claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }])),
    { code: 'LEDGER_LOST_WRITES', message: /replica without them took over/ },
  );
  t.is(await cluster.ownerOf('run'), replica);
  const next = await cluster.open('run');
  t.teardown(() => next.dispose());
  t.is((await win(next, 'second')).epoch, 1);
  t.like(await scanned(next, 1), { progress: { cursor: 0, running: 0 } });
});

test('a fail-over that an operator asks for in the middle of commits loses nothing', async (t) => {
  const { cluster, ledger } = await begun(t);
  const owner = await cluster.ownerOf('run');
  const replica = await cluster.replicaOf(owner);
  await replica.client().call('CLUSTER', 'FAILOVER');
  let cursor = 0;
  for (; (await cluster.ownerOf('run')) === owner || cursor < 30; cursor += 3)
    t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor, count: 3 }])), { kind: 'claimed', cursor: cursor + 3 });
  t.is(await cluster.ownerOf('run'), replica);
  t.like(await answered(() => scanned(ledger, 0)), { progress: { cursor, running: cursor } });
});

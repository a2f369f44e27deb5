import test, { type ExecutionContext } from 'ava';
import type { RedisOptions } from 'ioredis';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { claim } from '../support/commit-parts.ts';
import { SOME_TTL_MS, scanned, start } from '../support/ledger-start.ts';
import { type RedisServer, redisServer } from '../support/redis-server.ts';

const clock = systemClock;
const random = systemRandom;

async function opened(t: ExecutionContext, own: RedisServer, more: RedisOptions = {}): Promise<Ledger> {
  const ledger = await own.open('run', more);
  t.teardown(() => ledger.dispose());
  return ledger;
}

test('out of memory refuses a commit whole and before it begins, and a renewal goes through', async (t) => {
  const own = await redisServer(t);
  const redis = own.client();
  const ledger = await opened(t, own);
  const lease = await start(ledger);
  await redis.config('SET', 'maxmemory', '1');
  const error = await t.throwsAsync(claim(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]), { instanceOf: CallFailed, message: /OOM/ });
  t.like(error, { fate: 'not-executed' });
  t.like(await ledger.renew(lease, SOME_TTL_MS), { kind: 'renewed' });
  await redis.config('SET', 'maxmemory', '0');
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]), { kind: 'claimed', cursor: 1 });
});

test('a server that was stopped carries out, when it goes on, what its caller has long given up, and it changes nothing more', async (t) => {
  const own = await redisServer(t);
  const [ledger, direct] = [await opened(t, own, { socketTimeout: 2_000 }), await opened(t, own)];
  await start(ledger);
  own.signal('SIGSTOP');
  const ask = () => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
  await t.throwsAsync(ask(), { instanceOf: CallFailed });
  own.signal('SIGCONT');
  const reply = await untilAnswered({ clock, random }, ask);
  t.like(reply, { kind: 'claimed', cursor: 3 });
  t.like(await scanned(direct, 0), { progress: { cursor: 3, running: 3 } });
});

import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import type { Settlement } from '../../runtime/ledger/contract.ts';
import { row, scanned, start } from '../support/ledger-start.ts';
import { redisServer } from '../support/redis-server.ts';

const BATCH = 20;
const ITEMS = 8_000;
const KILLS = 20;

test('L16, L20: redis-server killed again and again under load loses nothing that it answered (appendfsync always)', async (t) => {
  t.timeout(180_000);
  const server = await redisServer(t);
  const ledger = await server.open('run');
  t.teardown(() => ledger.dispose());
  await start(ledger);
  const asked = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered({ clock: systemClock, random: systemRandom }, ask);
  const acknowledged = new Set<number>();
  let settles: readonly Settlement[] = [];
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  for (let cursor = 0; cursor < ITEMS || settles.length > 0; ) {
    if (cursor > ((kills + 1) * ITEMS) / (KILLS + 1)) {
      kills += 1;
      restarting = server.kill().then(() => server.start());
    }
    const count = Math.min(BATCH, ITEMS - cursor);
    const request = { settles, handBacks: [], claims: [{ worker: 'w1', picks: [{ cursor, count }] }] };
    const reply = await asked(() => ledger.commit(0, request));
    if (reply.kind !== 'committed') return t.fail(reply.kind);
    for (const one of settles) acknowledged.add(one.index);
    t.true(reply.settled.every((verdict) => verdict === 'accepted' || verdict === 'recorded'));
    const next = Math.min(cursor + count, ITEMS);
    settles = Array.from({ length: next - cursor }, (_, n) => ({ index: cursor + n, row: row('w1'), isResult: true }));
    cursor = next;
  }
  await restarting;
  t.is(kills, KILLS);
  t.is(acknowledged.size, ITEMS);
  t.like(await scanned(ledger, 0), { running: [], handedBack: [], progress: { done: ITEMS, cursor: ITEMS } });
  t.like(await ledger.tallies(), [{ epoch: 0, count: ITEMS }]);
});

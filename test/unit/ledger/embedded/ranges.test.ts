import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { setBit } from '../../../../runtime/ledger/bitmap.ts';
import { type Database, openDatabase } from '../../../../runtime/ledger/embedded/database.ts';
import { itemKey, rangeOf, rangePageKey } from '../../../../runtime/ledger/embedded/keys.ts';
import { openEmbeddedLedger } from '../../../../runtime/ledger/embedded/ledger.ts';
import { handBack, settle } from '../../../support/commit-parts.ts';
import { back, claimed, move, outcome, row, scanned, sole, start, win } from '../../../support/ledger-start.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const open = (dir: string): ReturnType<typeof openEmbeddedLedger> => openEmbeddedLedger({ dir, clock: systemClock });

test('a granted range is one row to each page until an item has a history, and none once all of it is recorded', async (t) => {
  const dir = temporaryDir(t);
  const ledger = await open(dir);
  await start(ledger);
  const rowsNow = (): { ranges: number; items: number } => {
    const database = openDatabase(dir, 'write');
    const count = (kind: 'rangePage' | 'item'): number => database.getKeysCount(rangeOf(kind));
    return { ranges: count('rangePage'), items: count('item') };
  };
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1_000 }]);
  t.deepEqual(rowsNow(), { ranges: 4, items: 0 });
  await handBack(ledger, 0, [back(300, row('w1'))]);
  await ledger.reassign(0, [move(301, row('w1'), 'w2')]);
  await ledger.second(0, 'w2', [sole(302, row('w1'))]);
  t.deepEqual(rowsNow(), { ranges: 4, items: 3 });
  t.like(await scanned(ledger, 0), { progress: { running: 999, handedBack: 1 } });
  const others = Array.from({ length: 1_000 }, (_, index) => index).filter((index) => index < 300 || index > 302);
  const settled = await settle(
    ledger,
    0,
    'w1',
    others.map((index) => outcome(index)),
  );
  t.true(settled.kind === 'settled' && settled.verdicts.every((verdict) => verdict === 'accepted'));
  t.deepEqual(rowsNow(), { ranges: 0, items: 3 });
  await settle(ledger, 0, 'w1', [outcome(300), outcome(302)]);
  await settle(ledger, 0, 'w2', [outcome(301, 2)]);
  t.deepEqual(rowsNow(), { ranges: 0, items: 0 });
  t.like(await scanned(ledger, 0), { progress: { running: 0, handedBack: 0, done: 1_000 } });
  await ledger.dispose();
});

for (const [what, damage] of [
  ['the row of an item was lost', (database: Database) => database.removeSync(itemKey(1))],
  ['a page of ranges was lost', (database: Database) => database.removeSync(rangePageKey(1))],
  [
    'a settled item is open in its range again',
    (database: Database) => {
      const page = Buffer.from(database.getBinary(rangePageKey(0)) ?? []);
      setBit(page.subarray(0, 32), 2);
      database.putSync(rangePageKey(0), page);
    },
  ],
] as const) {
  test(`L6: scan refuses a store in which ${what}`, async (t) => {
    const dir = temporaryDir(t);
    const first = await open(dir);
    await start(first);
    await claimed(first, 0, 'w1', [{ cursor: 0, count: 300 }]);
    await handBack(first, 0, [back(1, row('w1'))]);
    await settle(first, 0, 'w1', [outcome(2)]);
    await scanned(first, 0);
    await first.dispose();
    const database = openDatabase(dir, 'write');
    damage(database);
    await database.close();
    const second = await open(dir);
    await win(second, 'second');
    await t.throwsAsync(second.scan(1), { code: 'LEDGER_CORRUPT' });
    await second.dispose();
  });
}

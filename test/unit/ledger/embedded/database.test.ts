import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { openDatabase } from '../../../../runtime/ledger/embedded/database.ts';
import { openEmbeddedLedger } from '../../../../runtime/ledger/embedded/ledger.ts';
import { start } from '../../../support/ledger-start.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

/** How this process has mapped a file: `r--s` is for reading. */
function mappingsOf(path: string): readonly string[] {
  const lines = readFileSync('/proc/self/maps', 'utf8').split('\n');
  return lines.filter((line) => line.endsWith(path)).map((line) => line.split(' ')[1] ?? '');
}

test('the store is mapped for reading alone, so that a full disk is an error of a write and not SIGBUS', async (t) => {
  const dir = temporaryDir(t);
  const ledger = await openEmbeddedLedger({ dir: join(dir, 'store'), clock: systemClock });
  await start(ledger);
  const path = join(dir, 'store', 'ledger.mdb');
  const mappings = mappingsOf(path);
  t.true(mappings.length > 0, path);
  t.deepEqual([...new Set(mappings)], ['r--s'], path);
  await ledger.dispose();
});

test('no size is set: a store grows as far as its disk does, with the map that it was opened with or a larger one', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const database = openDatabase(dir, 'write');
  const value = Buffer.alloc(64 * 1024, 'v');
  for (let round = 0; round < 40; round += 1) {
    await database.transaction(() => {
      for (let n = 0; n < 64; n += 1) database.putSync(Buffer.from(`k${round}-${n}`), value);
    });
  }
  t.true(statSync(join(dir, 'ledger.mdb')).size > 40 * 64 * value.length);
  t.true(database.getBinary(Buffer.from('k39-63'))?.equals(value));
  await database.close();
});

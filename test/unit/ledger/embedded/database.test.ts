import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { openDatabase } from '../../../../runtime/ledger/embedded/database.ts';
import { openEmbeddedLedger } from '../../../../runtime/ledger/embedded/ledger.ts';
import { openOutbox } from '../../../../runtime/worker/outbox.ts';
import { onlyCode, readSources } from '../../../style/sources.ts';
import { start } from '../../../support/ledger-start.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

/** Options of lmdb, and flags of LMDB, with which a commit is not on disk when it is told, or a full disk ends the process. */
const UNSAFE = ['noSync', 'noMetaSync', 'useWritemap', 'mapAsync', 'commitDelay', 'asyncTransactionOrder', 'overlappingSync: true'];
/** A size that is set is a size that is too small some day. */
const SIZES = ['mapSize', 'maxSize'];

test('R48, R50: no file of the product names an option that gives up durability, maps for writing or fixes the size', (t) => {
  const opening = readSources('runtime', (path) => path.endsWith('.ts')).filter(({ text }) => /from 'lmdb'/.test(text));
  t.deepEqual(opening.map(({ path }) => path).toSorted(), ['runtime/ledger/embedded/database.ts', 'runtime/worker/outbox.ts']);
  for (const { path, text } of opening) {
    t.deepEqual(
      [...UNSAFE, ...SIZES].filter((option) => onlyCode(text).includes(option)),
      [],
      path,
    );
    t.true(text.includes('overlappingSync: false'), path);
  }
});

/** How this process has mapped a file: `r--s` is for reading. */
function mappingsOf(path: string): readonly string[] {
  const lines = readFileSync('/proc/self/maps', 'utf8').split('\n');
  return lines.filter((line) => line.endsWith(path)).map((line) => line.split(' ')[1] ?? '');
}

test('R50: the stores are mapped for reading alone, so that a full disk is an error of a write and not SIGBUS', async (t) => {
  const dir = temporaryDir(t);
  const ledger = await openEmbeddedLedger({ dir: join(dir, 'store'), clock: systemClock });
  await start(ledger);
  const outbox = await openOutbox({
    dir: join(dir, 'outbox'),
    workerId: 'w1',
    runId: 'run',
    awaitRoom: async () => false,
  });
  await outbox.keepEpoch(3);
  for (const path of [join(dir, 'store', 'ledger.mdb'), join(dir, 'outbox', 'outbox.mdb')]) {
    const mappings = mappingsOf(path);
    t.true(mappings.length > 0, path);
    t.deepEqual([...new Set(mappings)], ['r--s'], path);
  }
  await outbox.close();
  await ledger.dispose();
});

test('R50: no size is set: a store grows as far as its disk does, with the map that it was opened with or a larger one', async (t) => {
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

import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { open } from 'lmdb';
import { storeFileProblem } from '../../../../runtime/ledger/embedded/file-problem.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a store may be opened at every moment of its life: new, growing, shrinking, in use and closed', (t) => {
  const path = join(temporaryDir(t), 'x.mdb');
  writeFileSync(path, '');
  t.is(storeFileProblem(path), null, 'an empty file is no store yet');
  const store = open<Buffer, string>({ path, encoding: 'binary', overlappingSync: false, eventTurnBatching: false });
  t.is(storeFileProblem(path), null, 'a new one');
  for (let round = 0; round < 40; round++) {
    store.transactionSync(() => {
      for (let n = 0; n < 20; n++) store.putSync(`${round}/${n}`, Buffer.alloc((n * 997) % 20_000));
      for (let n = 0; n < 20; n += 2) store.removeSync(`${round - 2}/${n}`);
    });
    t.is(storeFileProblem(path), null, `round ${round}`);
  }
  t.true(statSync(path).size > 100_000);
});

test('a part of a copy is told with both sizes, whatever it was cut to', async (t) => {
  const dir = temporaryDir(t);
  const [path, part] = [join(dir, 'x.mdb'), join(dir, 'part.mdb')];
  const store = open<Buffer, string>({ path, encoding: 'binary', overlappingSync: false, eventTurnBatching: false });
  store.transactionSync(() => {
    for (let n = 0; n < 50; n++) store.putSync(String(n), Buffer.alloc(9_000));
  });
  await store.close();
  const { size } = statSync(path);
  for (const kept of [size / 2, size - 4096, size - 1, 3 * 4096]) {
    copyFileSync(path, part);
    truncateSync(part, kept);
    t.regex(storeFileProblem(part) ?? '', new RegExp(`has ${kept} bytes, and its own head says ${size}: .*part of a copy`));
  }
  for (const kept of [1, 24, 100]) {
    truncateSync(part, kept);
    t.regex(storeFileProblem(part) ?? '', /damaged, or is no store/);
  }
  writeFileSync(part, Buffer.alloc(size, 'x'));
  t.regex(storeFileProblem(part) ?? '', /no store/);
  t.is(readFileSync(path).length, size, 'the store itself is only read');
});

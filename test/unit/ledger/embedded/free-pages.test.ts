import { readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { open } from 'lmdb';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { storeFileProblem } from '../../../../runtime/ledger/embedded/file-problem.ts';
import { freePages } from '../../../../runtime/ledger/embedded/free-pages.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const NONE = 0xffff_ffff_ffff_ffffn;

test('no list means no free page, and a list that the file does not have is no list', (t) => {
  const pages = { pageSize: 4096, read: () => null };
  t.deepEqual(freePages(pages, NONE), new Set<number>());
  t.is(freePages(pages, 7n), null);
});

test('a block stands for all its pages, and an empty place for none', (t) => {
  const page = Buffer.alloc(4096);
  const node = 100;
  page.writeUInt16LE(0x02, 18);
  page.writeUInt16LE(2, 20);
  page.writeUInt16LE(node - 24, 24);
  page.writeUInt16LE(5 * 8, node);
  page.writeUInt16LE(8, node + 6);
  for (const [at, number] of [4n, -3n, 20n, 0n, 9n].entries()) page.writeBigInt64LE(number, node + 16 + at * 8);
  const read = (): DataView => new DataView(page.buffer, page.byteOffset, page.byteLength);
  t.deepEqual(freePages({ pageSize: 4096, read }, 2n), new Set([20, 21, 22, 9]));
});

test('a store whose last pages are free, and were therefore never written, is whole', async (t) => {
  let shorter = 0;
  for (let seed = 1; seed <= 25; seed++) {
    const random = seededRandom(seed);
    const path = join(temporaryDir(t), 'x.mdb');
    const store = open<Buffer, string>({ path, encoding: 'binary', overlappingSync: false, eventTurnBatching: false });
    for (let round = 0; round < 12; round++) {
      store.transactionSync(() => {
        const most = 1 + Math.floor(random.next() * 60);
        for (let n = 0; n < most; n++) store.putSync(`${round}/${n}`, Buffer.alloc(400));
        for (let n = 0; n < most; n++) if (random.next() < 0.9) store.removeSync(`${round - (n % 3)}/${n}`);
      });
      t.is(storeFileProblem(path), null, `seed ${seed}, round ${round}`);
      if (statSync(path).size < wantedBytes(path)) shorter += 1;
    }
    await store.close();
    const { size } = statSync(path);
    truncateSync(path, size / 4);
    t.regex(storeFileProblem(path) ?? '', /part of a copy/, `seed ${seed}, a quarter`);
  }
  t.log(`${shorter} were shorter than their heads say`);
  t.true(shorter > 0);
});

/** What the later of the two heads says of the last page (mdb.c, MDB_meta). */
function wantedBytes(path: string): number {
  const bytes = readFileSync(path);
  const heads = [0, 4096].map((at) => [Number(bytes.readBigUInt64LE(at + 152)), Number(bytes.readBigUInt64LE(at + 144))] as const);
  const [, last] = heads.reduce((one, other) => (other[0] > one[0] ? other : one));
  return (last + 1) * 4096;
}

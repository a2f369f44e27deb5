import test from 'ava';
import { ReadAhead } from '../../../../runtime/base/fs/read-ahead.ts';

const BLOCK = 64 * 1024;

/** A file of `size` bytes, each the low byte of its place, and the reads that were made of it. */
function file(size: number): { readonly ahead: ReadAhead; readonly reads: (readonly [number, number])[] } {
  const contents = Buffer.from(Uint8Array.from({ length: size }, (_, at) => at % 251));
  const reads: (readonly [number, number])[] = [];
  const read = async (into: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number; buffer: Buffer }> => {
    reads.push([position, length]);
    return { bytesRead: contents.copy(into, offset, position, Math.min(size, position + length)), buffer: into };
  };
  return { ahead: new ReadAhead({ read: read as never }), reads };
}

function expected(position: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (position + at) % 251));
}

test('reads that follow each other are answered out of one block', async (t) => {
  const { ahead, reads } = file(3 * BLOCK);
  for (let at = 0; at + 400 <= BLOCK; at += 401) t.deepEqual(await ahead.read(at, 400), expected(at, 400));
  t.deepEqual(reads, [[0, BLOCK]]);
});

test('a read elsewhere reads what is asked for and no more', async (t) => {
  const { ahead, reads } = file(9 * BLOCK);
  await ahead.read(0, 100);
  t.deepEqual(await ahead.read(5 * BLOCK, 300), expected(5 * BLOCK, 300));
  t.deepEqual(await ahead.read(3 * BLOCK, 200), expected(3 * BLOCK, 200));
  t.deepEqual(reads.slice(1), [
    [5 * BLOCK, 300],
    [3 * BLOCK, 200],
  ]);
});

test('one that is longer than a block, or goes over its end, is read whole', async (t) => {
  const { ahead } = file(4 * BLOCK);
  t.deepEqual(await ahead.read(10, 2 * BLOCK), expected(10, 2 * BLOCK));
  t.deepEqual(await ahead.read(2 * BLOCK + 10, BLOCK - 5), expected(2 * BLOCK + 10, BLOCK - 5));
  t.deepEqual(await ahead.read(3 * BLOCK, 50), expected(3 * BLOCK, 50));
});

test('behind the end there is nothing', async (t) => {
  const { ahead } = file(100);
  t.deepEqual(await ahead.read(0, 60), expected(0, 60));
  t.deepEqual(await ahead.read(60, 60), expected(60, 40));
  t.is((await ahead.read(100, 10)).length, 0);
});

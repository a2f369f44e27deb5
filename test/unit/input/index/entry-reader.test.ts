import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import test from 'ava';
import { ENTRY_BYTES, readEntry, writeEntry } from '../../../../runtime/input/index/entry.ts';
import { EntryReader } from '../../../../runtime/input/index/entry-reader.ts';

/** An index whose entries name themselves by their line number; `written` says how many of them are complete. */
function growing(written: number) {
  const bytes = Buffer.alloc(100_000 * ENTRY_BYTES);
  const index = { written, reads: 0 };
  const write = (from: number, upTo: number): void => {
    for (let n = from; n < upTo; n++)
      writeEntry(bytes, n * ENTRY_BYTES, { offset: n, length: 1, lineNumber: n + 1, reasonAt: null, checksum: 0 });
  };
  write(0, written);
  const handle = {
    read: async (into: Buffer, at: number, length: number, position: number) => {
      index.reads += 1;
      return { bytesRead: bytes.copy(into, at, position, Math.min(position + length, index.written * ENTRY_BYTES)) };
    },
  } as unknown as FileHandle;
  const reader = new EntryReader(handle, () => index.written);
  const numbers = async (from: number, count: number): Promise<readonly number[]> => {
    const read = await reader.read(from, count);
    return Array.from({ length: read.length / ENTRY_BYTES }, (_, at) => readEntry(read, at * ENTRY_BYTES).lineNumber - 1);
  };
  return { index, numbers, write };
}

const range = (from: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

test('entries that are asked for one after the other are read many at a time', async (t) => {
  const { index, numbers } = growing(5_000);
  for (let from = 0; from < 5_000; from += 10) t.deepEqual(await numbers(from, 10), range(from, 10));
  t.true(index.reads < 30, `${index.reads} reads`);
});

test('entries anywhere, and more than are read ahead, are the ones that were asked for', async (t) => {
  const { numbers } = growing(5_000);
  for (const [from, count] of [
    [3_000, 5],
    [2_999, 2],
    [3_004, 1],
    [0, 4_000],
    [4_990, 10],
    [1_023, 3],
  ] as const) {
    t.deepEqual(await numbers(from, count), range(from, count));
  }
});

test('an index that grows is never read ahead of what is complete', async (t) => {
  const { index, numbers, write } = growing(10);
  t.deepEqual(await numbers(5, 3), [5, 6, 7]);
  write(10, 20);
  index.written = 20;
  t.deepEqual(await numbers(8, 12), range(8, 12));
  t.deepEqual(await numbers(18, 5), [18, 19], 'as far as they are written');
});

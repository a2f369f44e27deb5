import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import test from 'ava';
import { LineBytes } from '../../../../runtime/input/index/line-bytes.ts';

const FILE_BYTES = 300_000;
/** Each four bytes name their place. */
const FILE: Buffer = Buffer.from(Uint32Array.from({ length: FILE_BYTES / 4 }, (_, at) => at).buffer);

function opened() {
  const reads: number[] = [];
  const handle = {
    read: async (into: Buffer, at: number, length: number, position: number) => {
      reads.push(length);
      return { bytesRead: FILE.subarray(position, position + length).copy(into, at) };
    },
  } as unknown as FileHandle;
  return { reads, lines: new LineBytes(handle) };
}

test('lines that follow one another are read many at a time, and each is the one that was asked for', async (t) => {
  const { reads, lines } = opened();
  for (let at = 0; at + 400 <= FILE_BYTES; at += 401) t.true((await lines.read(at, 400)).equals(FILE.subarray(at, at + 400)), `at ${at}`);
  t.true(reads.length < 10, `${reads.length} reads`);
});

test('of lines that lie apart, and of long ones, nothing else is read', async (t) => {
  const { reads, lines } = opened();
  for (const [at, length] of [
    [200_000, 40],
    [100_000, 400],
    [102_000, 400],
    [102_400, 150_000],
    [10, 20],
  ] as const) {
    t.true((await lines.read(at, length)).equals(FILE.subarray(at, at + length)), `at ${at}`);
    t.is(reads.at(-1), length);
  }
});

test('reads that are under way together each get their own', async (t) => {
  const { lines } = opened();
  const places = [0, 401, 802, 70_000, 1_203, 140_000, 140_401];
  const read = await Promise.all(places.map((at) => lines.read(at, 400)));
  for (const [n, at] of places.entries()) t.true(read[n]?.equals(FILE.subarray(at, at + 400)), `at ${at}`);
});

test('a read past the end of the file has only the bytes that are there', async (t) => {
  const { lines } = opened();
  await lines.read(FILE_BYTES - 800, 400);
  t.is((await lines.read(FILE_BYTES - 400, 1_000)).length, 400);
  t.is((await lines.read(FILE_BYTES + 5, 10)).length, 0);
});

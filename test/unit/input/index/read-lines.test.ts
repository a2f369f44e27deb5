import { Buffer } from 'node:buffer';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type RawLine, readLines } from '../../../../runtime/input/index/read-lines.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const MIB = 2 ** 20;

const ENDLESS = { endlessBytes: 24 * MIB, onEndless: () => new Error('a line without an end') };

interface Read {
  readonly lines: readonly { readonly offset: number; readonly length: number; readonly bytes: Buffer | null }[];
  readonly bytes: Buffer;
}

function readAll(t: ExecutionContext, contents: Uint8Array, maxBytes: number, onLine: (line: RawLine) => boolean = () => true): Read {
  const path = join(temporaryDir(t), 'file');
  writeFileSync(path, contents);
  const descriptor = openSync(path, 'r');
  const lines: { offset: number; length: number; bytes: Buffer | null }[] = [];
  const pieces: Buffer[] = [];
  readLines({
    descriptor,
    maxBytes,
    ...ENDLESS,
    onLine: (line) => {
      lines.push({ ...line, bytes: line.bytes === null ? null : Buffer.from(line.bytes) });
      return onLine(line);
    },
    onBytes: (bytes) => pieces.push(Buffer.from(bytes)),
  });
  closeSync(descriptor);
  return { lines, bytes: Buffer.concat(pieces) };
}

function checkAgainst(t: ExecutionContext, contents: Buffer, maxBytes: number): void {
  const { lines, bytes } = readAll(t, contents, maxBytes);
  t.true(bytes.equals(contents), 'every byte was told once, in order');
  const last = contents.at(-1);
  const expected = contents.length === 0 ? 0 : contents.filter((byte) => byte === 0x0a).length + (last === 0x0a ? 0 : 1);
  t.is(lines.length, expected);
  for (const { offset, length, bytes: line } of lines) {
    const raw = contents.subarray(offset, offset + length);
    t.false(raw.includes(0x0a));
    t.true(offset + length === contents.length || contents[offset + length] === 0x0a);
    t.is(line === null, length > maxBytes);
    if (line !== null) t.true(line.equals(raw));
  }
}

test('an empty file has no line, and the last line needs no line feed', (t) => {
  t.deepEqual(readAll(t, Buffer.from(''), 10).lines, []);
  t.deepEqual(readAll(t, Buffer.from('a\n\nbc'), 10).lines, [
    { offset: 0, length: 1, bytes: Buffer.from('a') },
    { offset: 2, length: 0, bytes: Buffer.from('') },
    { offset: 3, length: 2, bytes: Buffer.from('bc') },
  ]);
});

test('random bytes: the lines and what lies between them are the file', (t) => {
  const piece = fc.oneof(fc.uint8Array({ maxLength: 30 }), fc.constant(Buffer.from('\n')), fc.constant(Buffer.from('\r\n')));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 0, max: 20 }), (pieces, maxBytes) =>
      checkAgainst(t, Buffer.concat(pieces), maxBytes),
    ),
    { numRuns: 200 },
  );
});

test('lines that end at, before and after the end of a piece of reading are whole', (t) => {
  for (const length of [MIB - 2, MIB - 1, MIB, MIB + 1, 3 * MIB - 1, 3 * MIB]) {
    checkAgainst(
      t,
      Buffer.concat([Buffer.alloc(length, 'x'), Buffer.from('\nshort\n'), Buffer.alloc(length, 'y'), Buffer.from('\nend')]),
      8 * MIB,
    );
  }
});

test('a line of 16 MB comes without its bytes, and the lines around it are whole', (t) => {
  const long = Buffer.alloc(16 * MIB, 'x');
  checkAgainst(t, Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nb\n'), long, Buffer.from('\n'), long]), 8 * MIB);
  checkAgainst(t, Buffer.concat([long, Buffer.from('\n')]), 8 * MIB);
});

test('whoever has enough ends the reading, and the bytes told end with that line', (t) => {
  let left = 2;
  const { lines, bytes } = readAll(t, Buffer.from('a\nbb\nccc\n'), 10, () => {
    left -= 1;
    return left > 0;
  });
  t.is(lines.length, 2);
  t.is(bytes.toString(), 'a\nbb\n');
});

test('a line that does not come to its end ends the reading, wherever it begins; one that is only too long does not', (t) => {
  const long = Buffer.alloc(20 * MIB, 'x');
  t.is(readAll(t, Buffer.concat([long, Buffer.from('\n'), long]), 10).lines.length, 2);
  for (const before of ['', 'a\nb\n']) {
    const contents = Buffer.concat([Buffer.from(before), Buffer.alloc(26 * MIB, 'x'), Buffer.from('\na\n')]);
    t.throws(() => readAll(t, contents, 10), { message: 'a line without an end' });
  }
});

import { Buffer } from 'node:buffer';
import test from 'ava';
import { encodingProblem } from '../../../../runtime/input/file/file-encoding.ts';
import { batchLine } from '../../../support/batch-lines.ts';

const whatOf = (bytes: string | Buffer): string | null =>
  encodingProblem({ bytes: Buffer.from(bytes as string), isWhole: true })?.what ?? null;

const MAGIC: readonly (readonly [name: string, bytes: Buffer | string])[] = [
  ['zstd', Buffer.from('28b52ffd0458', 'hex')],
  ['bzip2', 'BZh91AY&SY'],
  ['xz', Buffer.from('fd377a585a000004', 'hex')],
  ['lz4', Buffer.from('04224d18', 'hex')],
  ['gzip twice', Buffer.from('1f8b0800', 'hex')],
  ['zip', 'PK\x03\x04\x14'],
  ['7z', Buffer.from('377abcaf271c', 'hex')],
  ['tar', Buffer.concat([Buffer.alloc(257, 'a'), Buffer.from('ustar\0')])],
  ['Parquet', 'PAR1\x15\x04'],
  ['Arrow', 'ARROW1\0\0'],
  ['SQLite', 'SQLite format 3\0'],
  ['Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n'],
  ['web page', '<!DOCTYPE html><html></html>'],
];

for (const [name, bytes] of MAGIC) test(`${name} is told by its first bytes`, (t) => t.true(whatOf(bytes)?.includes(name)));

test('text in UTF-8 has no problem of its encoding, whatever its lines say', (t) => {
  for (const text of ['', ' ', '{', batchLine('a'), '\uFEFF{}', 'PK', 'BZ', '\0\0\0']) t.is(whatOf(text), null, JSON.stringify(text));
});

test('two wide characters are enough to tell, one is not', (t) => {
  t.regex(whatOf(Buffer.from('{}', 'utf16le')) ?? '', /^is UTF-16/);
  t.is(whatOf(Buffer.from('{', 'utf16le')), null);
});

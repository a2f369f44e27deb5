import test from 'ava';
import { LineSplitter } from '../../../../../operator/cli/manifest/list-lines.ts';

function split(pieces: readonly string[], maxBytes = 10): readonly (string | null)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = [...pieces.flatMap((piece) => splitter.push(Buffer.from(piece))), ...splitter.end()];
  return lines.map((line) => (line === null ? null : Buffer.from(line).toString()));
}

test('lines come whole, however their bytes come', (t) => {
  for (const pieces of [['ab\ncd\n\nef'], ['a', 'b', '\n', 'cd\n', '\ne', 'f'], Array.from('ab\ncd\n\nef')])
    t.deepEqual(split(pieces), ['ab', 'cd', '', 'ef']);
});

test('the last line may have its line feed or lack it', (t) => {
  t.deepEqual(split(['a\n']), ['a']);
  t.deepEqual(split(['a']), ['a']);
  t.deepEqual(split([]), []);
});

test('a line that is too long is null, and the next one is read', (t) => {
  t.deepEqual(split(['12345678901\nab\n']), [null, 'ab']);
  t.deepEqual(split(['1234567', '8901', '23\nab']), [null, 'ab']);
  t.deepEqual(split(['1234567890\n']), ['1234567890']);
  t.deepEqual(split(['12345678901']), [null]);
});

test('bytes of a piece may be written over once it was pushed and its lines were taken', (t) => {
  const splitter = new LineSplitter(100);
  const piece = Buffer.from('ab\n');
  const [line] = splitter.push(piece);
  piece.fill(0);
  t.is(Buffer.from(line ?? []).toString(), 'ab');
});

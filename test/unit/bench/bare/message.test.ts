import test from 'ava';
import { decode, EMPTY, encode, linesOf, messageOf } from '../../../../bench/bare/message.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const OUTCOMES = ['first', '', 'third'].map((line, n) => ({ index: n * 70_000, line: Buffer.from(line) }));

test('what is encoded is decoded again', (t) => {
  const message = { ...messageOf(OUTCOMES, 384), acknowledged: Uint32Array.of(5, 4_000_000_000), isLast: true };
  const decoded = decode(encode(message));
  t.deepEqual(
    [...linesOf(decoded)].map(({ index, line }) => [index, text(line)]),
    [
      [0, 'first'],
      [70_000, ''],
      [140_000, 'third'],
    ],
  );
  t.deepEqual([...decoded.acknowledged], [5, 4_000_000_000]);
  t.deepEqual([decoded.credit, decoded.isLast], [384, true]);
});

test('a message may begin at any byte of what was received', (t) => {
  const encoded = encode(messageOf(OUTCOMES, 1));
  const received = Buffer.concat([Buffer.from('x'), encoded]).subarray(1);
  t.deepEqual([...decode(received).indexes], [0, 70_000, 140_000]);
});

test('an empty message is one', (t) => {
  const { indexes, acknowledged, credit, isLast } = decode(encode(EMPTY));
  t.deepEqual([indexes.length, acknowledged.length, credit, isLast], [0, 0, 0, false]);
});

import test from 'ava';
import { bodyBytes } from '../../../runtime/format/body-bytes.ts';

const textOf = (line: string, lineNumber = 2, form: 'batch' | 'raw' = 'batch'): string =>
  Buffer.from(bodyBytes(Buffer.from(line), lineNumber, form)).toString();

test('the body is the bytes of the line, with every digit and every duplicate', (t) => {
  const body = '{"seed": 9223372036854775807, "p":1e400 ,"t":1.0,"2":1,"1":1,"t":2.0}';
  t.is(textOf(`{"custom_id":"x","body":${body},"url":"/v1/x"}\r`), body);
});

test('of two bodies the last one counts, as it does where the line is read', (t) => {
  t.is(textOf('{"body":{"a":1},"custom_id":"x","b\\u006fdy":{"a":2}}'), '{"a":2}');
});

test('a plain item is the whole line, without the byte order mark of the first and the carriage return', (t) => {
  t.is(textOf('\ufeff{"a":1.0}\r', 1, 'raw'), '{"a":1.0}');
  t.is(textOf(' [1.0] ', 2, 'raw'), ' [1.0] ');
});

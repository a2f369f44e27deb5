import test from 'ava';
import fc from 'fast-check';
import { badLineId, errorLine, parsedJson, parseOutputLine, plainText, resultLine } from '../../../runtime/format/output-line.ts';

const ID = '0123456789abcdef0123456789abcdef';
const decode = (line: Uint8Array): string => Buffer.from(line).toString('utf8');

test('a result is the OpenAI batch line, its keys in order and the body as the server wrote it', (t) => {
  const body = parsedJson(Buffer.from('{"n": 12345678901234567890, "text":"ä\\n"}'))?.text ?? '';
  const line = decode(resultLine({ item: { customId: 'a"b' }, id: ID, response: { statusCode: 200, requestId: 'req-1', body } }));
  t.is(
    line,
    `{"id":"batch_req_${ID}","custom_id":"a\\"b","response":{"status_code":200,"request_id":"req-1","body":{"n": 12345678901234567890, "text":"ä\\n"}},"error":null}`,
  );
});

test('an error keeps the response where there was one', (t) => {
  const response = { statusCode: 400, requestId: null, body: '{"error":1}' };
  const line = decode(errorLine({ id: ID, customId: 'x', code: 'http_400', message: 'no', line: 9, response }));
  t.is(
    line,
    `{"id":"batch_req_${ID}","custom_id":"x","response":{"status_code":400,"request_id":null,"body":{"error":1}},"error":{"code":"http_400","message":"no","line":9}}`,
  );
});

test('a bad line without a custom_id has null there, and an id made of its number', (t) => {
  const line = errorLine({ id: badLineId(3), customId: null, code: 'invalid_json', message: 'not JSON', line: 3, response: null });
  t.deepEqual(parseOutputLine(line), {
    id: `batch_req_${badLineId(3)}`,
    customId: null,
    hasResponse: false,
    error: { code: 'invalid_json', message: 'not JSON', line: 3 },
  });
  t.not(badLineId(3), badLineId(4));
  t.regex(badLineId(3), /^[0-9a-f]{32}$/);
});

test('no output line ever holds a line end, whatever the server and the item contain', (t) => {
  fc.assert(
    fc.property(fc.json(), fc.string(), fc.string(), (json, customId, requestId) => {
      const pretty = JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\r\n');
      const body = parsedJson(Buffer.from(pretty))?.text ?? 'never';
      const line = decode(resultLine({ item: { customId }, id: ID, response: { statusCode: 200, requestId, body } }));
      t.false(/[\r\n]/.test(line));
      const parsed = JSON.parse(line);
      t.deepEqual(parsed.response.body, JSON.parse(json));
      t.is(parsed.custom_id, customId);
    }),
  );
});

test('what is not JSON is told apart, and can be kept as text', (t) => {
  for (const bad of ['', 'x', '{"a":', '{"a":1} x']) t.is(parsedJson(Buffer.from(bad)), null);
  t.is(parsedJson(Uint8Array.of(0x22, 0xff, 0x22)), null);
  t.is(parsedJson(Buffer.from('\ufeff{}'))?.text, '{}');
  t.is(plainText(Buffer.from('<html>\n"')), '"<html>\\n\\""');
  t.is(plainText(Uint8Array.of(0x61, 0xff)), '"a\ufffd"');
});

test('an output line is read back, and what is none is refused', (t) => {
  const line = resultLine({ item: { customId: 'x' }, id: ID, response: { statusCode: 200, requestId: null, body: '{}' } });
  t.deepEqual(parseOutputLine(line), { id: `batch_req_${ID}`, customId: 'x', hasResponse: true, error: null });
  for (const bad of [
    '',
    '[]',
    'null',
    '1',
    '{}',
    '{"id":1,"custom_id":"x","response":{},"error":null}',
    '{"id":"a","custom_id":2,"response":{},"error":null}',
    '{"id":"a","custom_id":"x","response":null,"error":null}',
    '{"id":"a","custom_id":"x","response":null,"error":{"code":1,"line":1}}',
    '{"id":"a","custom_id":"x","response":[],"error":null}',
    '{"id":"a","custom_id":"x"}',
  ]) {
    t.is(parseOutputLine(Buffer.from(bad)), null, bad);
  }
});

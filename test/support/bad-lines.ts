import { Buffer } from 'node:buffer';
import { batchLine } from './batch-lines.ts';

/** One line of each kind of bad line; `MAX_LINE_BYTES` is meant to be the limit, and a line `good-0` to stand before. */
export const BAD_LINES: readonly (readonly [code: string, line: Uint8Array])[] = [
  ['invalid_utf8', Buffer.from([0xff])],
  ['nul_byte', Buffer.from('{"custom_id":"\0"}')],
  ['invalid_json', Buffer.from('{"custom_id":')],
  ['not_an_object', Buffer.from('[]')],
  ['duplicate_member', Buffer.from('{"custom_id":"d","url":"/v1/x","body":{"a":1},"body":{"a":2}}')],
  ['missing_custom_id', Buffer.from('{"url":"/v1/x","body":{}}')],
  ['unsupported_method', Buffer.from('{"custom_id":"m","method":"GET","url":"/v1/x","body":{}}')],
  ['missing_url', Buffer.from('{"custom_id":"u","body":{}}')],
  ['invalid_url', Buffer.from('{"custom_id":"v","url":"x","body":{}}')],
  ['invalid_request', Buffer.from('{"custom_id":"r","url":"/v1/a b","body":{}}')],
  ['missing_body', Buffer.from('{"custom_id":"b","url":"/v1/x"}')],
  ['body_not_an_object', Buffer.from('{"custom_id":"o","url":"/v1/x","body":1}')],
  ['duplicate_custom_id', Buffer.from(batchLine('good-0'))],
  ['line_too_long', Buffer.from(batchLine('long', 'x'.repeat(2000)))],
];

export const MAX_LINE_BYTES = 1024;

/** The bad lines with `good` good ones before each, and after the last. */
export function mixedLines(good: number): { readonly contents: Buffer; readonly lineOf: ReadonlyMap<string, number> } {
  const parts: Uint8Array[] = [];
  const lineOf = new Map<string, number>();
  let lines = 0;
  let goodLines = 0;
  const add = (line: Uint8Array): void => {
    parts.push(line, Buffer.from('\n'));
    lines += 1;
  };
  const addGood = (): void => {
    for (let count = 0; count < good; count++) add(Buffer.from(batchLine(`good-${goodLines++}`)));
  };
  for (const [code, line] of BAD_LINES) {
    addGood();
    add(line);
    lineOf.set(code, lines);
  }
  addGood();
  return { contents: Buffer.concat(parts), lineOf };
}

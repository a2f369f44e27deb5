import { NoAnswer } from './api-error.ts';

const NEWLINE = 0x0a;

/** The whole lines of a stream, without their ends. What stands behind the last newline was cut off, and is left out. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      from = end + 1;
    }
    bytes += chunk.length - from;
    if (bytes > maxBytes) throw new NoAnswer(`a line has more than ${maxBytes} bytes`);
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

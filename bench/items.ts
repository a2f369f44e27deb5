import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Lines that the indexes of ten million items fit into, with a request that is answered in about as many bytes. */
const NUMBER_DIGITS = 8;
const CHUNK_LINES = 10_000;
const READ_BYTES = 2 ** 20;

export function customIdOf(index: number): string {
  return `item-${String(index).padStart(NUMBER_DIGITS, '0')}`;
}

/**
 * One line of `bytes` bytes, its end not counted. What the mock repeats is short, since its answer adds about 300 bytes of its own; the
 * instructions make the line as long as it has to be.
 */
export function itemLine(index: number, bytes: number): string {
  const customId = customIdOf(index);
  const user = { role: 'user', content: `What is the answer to question ${index}?` };
  const line = (system: string): string => {
    const messages = system === '' ? [user] : [{ role: 'system', content: system }, user];
    return JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body: { messages } });
  };
  const short = line('').length;
  const missing = bytes - line('.').length + 1;
  return missing < 1 || short >= bytes ? line('') : line('.'.repeat(missing));
}

export function writeItems(path: string, items: number, lineBytes: number): void {
  const file = openSync(path, 'wx');
  for (let from = 0; from < items; from += CHUNK_LINES) {
    const count = Math.min(CHUNK_LINES, items - from);
    writeSync(file, Array.from({ length: count }, (_, n) => `${itemLine(from + n, lineBytes)}\n`).join(''));
  }
  closeSync(file);
}

/** Throws unless the file holds one line for each item, in order. Reads it in pieces: it may be as long as memory. */
export function requireResults(path: string, items: number): void {
  const file = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let [index, rest] = [0, ''];
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    const lines = (rest + buffer.toString('latin1', 0, read)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.includes(`"custom_id":"${customIdOf(index)}"`)) throw new Error(`${path} line ${index + 1} is not of item ${index}`);
      index += 1;
    }
  }
  closeSync(file);
  if (index !== items || rest !== '') throw new Error(`${path} has ${index} whole lines for ${items} items`);
}

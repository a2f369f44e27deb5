import { open } from 'node:fs/promises';

/** The end of a process's log, readable: what a person needs to see when the process has given up. */

const READ_BYTES = 64 * 1024;
const SHOWN_LINES = 8;

export async function logTail(path: string, fromByte = 0): Promise<readonly string[]> {
  return tailOf(await readEnd(path, fromByte), SHOWN_LINES);
}

/** Size of the log now: what is written later belongs to the next process. */
export async function logSize(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return 0;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** The last different lines: what is tried again and again says the same each time. */
export function tailOf(text: string, lines: number): readonly string[] {
  const readables = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readable);
  return [...new Set(readables.toReversed())].slice(0, lines).toReversed();
}

/** A log line is JSON (pino); anything else is shown as it is. */
function readable(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    const cause = err?.message === undefined || err.message === msg ? '' : `: ${err.message}`;
    return msg === undefined ? line : `${msg}${cause}`;
  } catch {
    return line;
  }
}

async function readEnd(path: string, fromByte: number): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const start = Math.max(fromByte, size - READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, Math.max(0, size - start), start);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

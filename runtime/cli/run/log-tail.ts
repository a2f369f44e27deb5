import { open } from 'node:fs/promises';
import { ifThere, isAbsent } from '../../base/fs/if-there.ts';

/** The end of a process's log, readable: what a person needs to see when the process has given up. */

/** Far more than the lines that are shown need, stack traces included, and still one quick read of a log of any size. */
const READ_BYTES = 64 * 1024;
/** A cause with what led to it, and the summary of the run stays on the screen. */
const SHOWN_LINES = 8;

/** A log that cannot be read is told as a line: it must not hide the failure whose log it is. */
export async function logTail(path: string, fromByte = 0): Promise<readonly string[]> {
  try {
    return tailOf(await readEnd(path, fromByte), SHOWN_LINES);
  } catch (error) {
    return isAbsent(error) ? [] : [`cannot read ${path}: ${(error as Error).message}`];
  }
}

/** Size of the log now: what is written later belongs to the next process. */
export async function logSize(path: string): Promise<number> {
  const file = await ifThere(path, open(path, 'r'));
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
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(fromByte, size - READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, Math.max(0, size - start), start);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

/** `length` bytes from `position`, or as many as there are. */
export async function readFully(handle: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, await readInto(handle, position, bytes));
}

/** Fills `bytes` from `position`; answers how many there were. */
export async function readInto(handle: Pick<FileHandle, 'read'>, position: number, bytes: Uint8Array): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

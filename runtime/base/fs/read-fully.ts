import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

/** `length` bytes from `position`, or as many as there are. */
export async function readFully(handle: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type FileStamp, isSameStamp } from '../base/fs/file-stamp.ts';
import { unreadable } from '../input/file/input-error.ts';
import type { RunInput } from './run-file.ts';
import type { Difference } from './run-settings.ts';

export type InputCheck =
  | { readonly kind: 'same'; readonly stamp: FileStamp }
  /** The same bytes and more behind them; without a known hash it is only the size that says so, and the index has to prove it. */
  | { readonly kind: 'grown'; readonly difference: Difference }
  | { readonly kind: 'different'; readonly difference: Difference };

/** Few reads of a large file, and little memory. */
const PIECE_BYTES = 2 ** 20;

/**
 * Is the file at `path` still the run's input? Size and mtime are the quick check; where they differ the bytes decide, if their
 * hash is known. Throws INPUT_UNREADABLE where there is no file.
 */
export async function checkInput(known: RunInput, path: string): Promise<InputCheck> {
  const stamp = await stampOf(path);
  if (isSameStamp(stamp, known)) return { kind: 'same', stamp };
  const { sha256, hashedBytes } = known;
  const difference = { name: 'input', found: shown(known), wanted: shown(stamp) };
  if (sha256 === null || hashedBytes === null) return { kind: stamp.size > known.size ? 'grown' : 'different', difference };
  if (stamp.size < hashedBytes) return { kind: 'different', difference };
  const found = await hashBeginning(path, hashedBytes);
  if (found !== sha256) return { kind: 'different', difference: { name: 'input (SHA-256)', found: sha256, wanted: found } };
  // With a limit only a beginning counts, and the file may have grown behind it.
  return hashedBytes === known.size && stamp.size > known.size ? { kind: 'grown', difference } : { kind: 'same', stamp };
}

function shown({ size, mtimeMs }: FileStamp): string {
  return `${size} bytes of ${new Date(mtimeMs).toISOString()}`;
}

async function stampOf(path: string): Promise<FileStamp> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { size, mtimeMs };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** SHA-256 of so many bytes. */
export async function hashBeginning(path: string, bytes: number): Promise<string> {
  const sha256 = createHash('sha256');
  if (bytes === 0) return sha256.digest('hex');
  try {
    for await (const piece of createReadStream(path, { end: bytes - 1, highWaterMark: PIECE_BYTES })) sha256.update(piece as Uint8Array);
  } catch (error) {
    throw unreadable(path, error);
  }
  return sha256.digest('hex');
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Difference } from './identity.ts';
import { type FileStamp, isSameStamp } from './index-files.ts';
import { unreadable } from './input-error.ts';
import type { RunInput } from './run-file.ts';

export type InputCheck =
  | { readonly kind: 'same'; readonly stamp: FileStamp }
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
  if (sha256 === null || hashedBytes === null || !mayBeEqual(known.size, hashedBytes, stamp.size)) return different('input', known, stamp);
  const found = await hashBeginning(path, hashedBytes);
  if (found === sha256) return { kind: 'same', stamp };
  return { kind: 'different', difference: { name: 'input (SHA-256)', found: sha256, wanted: found } };
}

/** Where the whole input was hashed its size must be the same; with a limit only a beginning counts, and the file may have grown. */
function mayBeEqual(knownSize: number, hashedBytes: number, size: number): boolean {
  return hashedBytes === knownSize ? size === knownSize : size >= hashedBytes;
}

function different(name: string, found: FileStamp, wanted: FileStamp): InputCheck {
  return { kind: 'different', difference: { name, found: shown(found), wanted: shown(wanted) } };
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

async function hashBeginning(path: string, bytes: number): Promise<string> {
  const sha256 = createHash('sha256');
  if (bytes === 0) return sha256.digest('hex');
  try {
    for await (const piece of createReadStream(path, { end: bytes - 1, highWaterMark: PIECE_BYTES })) sha256.update(piece as Uint8Array);
  } catch (error) {
    throw unreadable(path, error);
  }
  return sha256.digest('hex');
}

import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { syncDirectory, writeFileAtomic } from '../../base/fs/atomic-file.ts';
import type { FileStamp } from '../../base/fs/file-stamp.ts';
import { stateUnwritable } from '../../base/fs/state-error.ts';
import { removeLeftTemporaries, temporaryName } from '../../base/fs/temporary-file.ts';

export interface Contents {
  readonly sha256: string;
  readonly bytes: number;
}

/** `spool/source.json`: what was spooled. It is written after the copy, so that a copy without it is none. */
export interface Spooled extends Contents {
  /** Size and mtime of the file that was copied; null for a stream, which has neither. */
  readonly stamp: FileStamp | null;
}

const TEMPORARY_PREFIX = 'input.';

export function spoolPath(dir: string): string {
  return join(dir, 'input.jsonl');
}

/** What this directory holds; null where nothing was spooled to its end. */
export async function readSpooled(dir: string): Promise<Spooled | null> {
  const path = sourcePath(dir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadableSpool(path, (error as Error).message, error);
  }
  const spooled = parseSpooled(path, text);
  if ((await sizeIfThere(spoolPath(dir))) === spooled.bytes) return spooled;
  throw unreadableSpool(spoolPath(dir), 'it is missing or has another size than was written', undefined);
}

export async function writeSpooled(dir: string, spooled: Spooled): Promise<void> {
  await toState(dir, () => writeFileAtomic(sourcePath(dir), `${JSON.stringify(spooled)}\n`));
}

/** Copies the bytes into the directory: a temporary file, made durable, then renamed. */
export async function copyToSpool(dir: string, bytes: AsyncIterable<Buffer>): Promise<Contents> {
  await toState(dir, () => removeLeftTemporaries(dir, TEMPORARY_PREFIX));
  const temporary = join(dir, await temporaryName(TEMPORARY_PREFIX));
  const handle = await toState(dir, () => open(temporary, 'wx'));
  try {
    const { sha256AtMark: _, ...contents } = await digest(bytes, { onPiece: (piece) => toState(dir, () => handle.writeFile(piece)) });
    await toState(dir, () => publish(handle, temporary, dir));
    return contents;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

export interface DigestOptions {
  readonly onPiece?: (piece: Buffer) => Promise<void>;
  /** The hash of the first so many bytes is returned too. */
  readonly mark?: number;
}

/** `sha256AtMark` is null where there are fewer bytes. */
export async function digest(
  bytes: AsyncIterable<Buffer>,
  { onPiece = async () => undefined, mark = 0 }: DigestOptions = {},
): Promise<Contents & { readonly sha256AtMark: string | null }> {
  const sha256 = createHash('sha256');
  let sha256AtMark: string | null = null;
  let count = 0;
  for await (const piece of bytes) {
    const before = count;
    count += piece.length;
    if (before <= mark && count > mark)
      sha256AtMark = sha256
        .copy()
        .update(piece.subarray(0, mark - before))
        .digest('hex');
    sha256.update(piece);
    await onPiece(piece);
  }
  return { sha256: sha256.digest('hex'), bytes: count, sha256AtMark };
}

async function publish(handle: FileHandle, temporary: string, dir: string): Promise<void> {
  await handle.sync();
  await rename(temporary, spoolPath(dir));
  await syncDirectory(dir);
}

/** Tells an error of writing from one of reading the input, which passes through the same loop. */
async function toState<T>(dir: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw stateUnwritable(dir, error);
  }
}

function sourcePath(dir: string): string {
  return join(dir, 'source.json');
}

function parseSpooled(path: string, text: string): Spooled {
  try {
    const { sha256, bytes, stamp } = JSON.parse(text) as Spooled;
    if (typeof sha256 === 'string' && typeof bytes === 'number') return { sha256, bytes, stamp };
  } catch (error) {
    throw unreadableSpool(path, 'it is not JSON', error);
  }
  throw unreadableSpool(path, 'it names no contents', undefined);
}

function unreadableSpool(path: string, why: string, cause: unknown): RolloutError {
  return new RolloutError(
    'STATE_UNREADABLE',
    `cannot read ${path}: ${why}; begin a new run with --fresh, which moves the old state aside`,
    { cause },
  );
}

async function sizeIfThere(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

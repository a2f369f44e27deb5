import type { Buffer } from 'node:buffer';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { RolloutError } from '../base/errors.ts';
import { type FileStamp, isSameStamp } from './index-files.ts';
import { stateWriteFailed, unreadable } from './input-error.ts';
import { type BegunStream, begin, isGzipFile, plainBytes } from './plain-bytes.ts';
import { copyToSpool, digest, readSpooled, type Spooled, spoolPath, writeSpooled } from './spool-file.ts';

export interface PrepareRequest {
  /** A path, or `-` for standard input. */
  readonly input: string;
  readonly stateDir: string;
  /** Left out by a process that has none of its own: it finds what another has spooled. */
  readonly stdin?: Readable & { readonly isTTY?: boolean };
  /** Told how many uncompressed bytes have been read so far, where a copy is made or compared. */
  readonly onBytes?: OnBytes;
}

export type OnBytes = (bytes: number) => void;

export interface PreparedInput {
  /** A regular, uncompressed file. */
  readonly path: string;
  readonly isSpooled: boolean;
}

const STDIN = '-';
const STDIN_NAME = '(standard input)';
/** Few writes of a large input, and little memory. */
const PIECE_BYTES = 2 ** 20;

/**
 * Makes sure that the input is a regular, uncompressed file that is there again after a restart: gzip files, pipes and standard
 * input are copied into the state directory, once. What is given again later must have the same contents (INPUT_CHANGED); nothing
 * on standard input stands for what was given before.
 */
export async function prepareInput({ input, stateDir, stdin, onBytes = () => undefined }: PrepareRequest): Promise<PreparedInput> {
  const dir = join(stateDir, 'spool');
  if (input === STDIN) return await prepareStdin(dir, stdin, onBytes);
  const stats = await statInput(input);
  const stamp = stats.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : null;
  if (stamp !== null && !(await isGzip(input))) return { path: input, isSpooled: false };
  const spooled = await readSpooled(dir);
  if (!isSpooledFrom(spooled, stamp)) {
    const source = createReadStream(input, { highWaterMark: PIECE_BYTES });
    await spool(dir, input, await begin(source, input), spooled, stamp, onBytes);
  }
  return { path: spoolPath(dir), isSpooled: true };
}

async function prepareStdin(dir: string, stdin: PrepareRequest['stdin'], onBytes: OnBytes): Promise<PreparedInput> {
  const spooled = await readSpooled(dir);
  const stream = stdin === undefined || stdin.isTTY === true ? null : await begin(stdin, STDIN_NAME);
  if (stream !== null && stream.head.length > 0) await spool(dir, STDIN_NAME, stream, spooled, null, onBytes);
  else if (spooled === null) throw nothingOnStdin();
  return { path: spoolPath(dir), isSpooled: true };
}

/** Copies the stream, or only compares it where a copy is there. */
async function spool(
  dir: string,
  name: string,
  stream: BegunStream,
  spooled: Spooled | null,
  stamp: FileStamp | null,
  onBytes: OnBytes,
): Promise<void> {
  const bytes = counted(plainBytes(stream, name), onBytes);
  const contents = spooled === null ? await copyTo(dir, bytes) : await digest(bytes);
  if (spooled !== null && spooled.sha256 !== contents.sha256) throw otherContents(name);
  await writeSpooled(dir, { ...contents, stamp });
}

async function* counted(pieces: AsyncIterable<Buffer>, onBytes: OnBytes): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of pieces) {
    count += piece.length;
    onBytes(count);
    yield piece;
  }
}

async function copyTo(dir: string, bytes: AsyncIterable<Buffer>): ReturnType<typeof copyToSpool> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (error) {
    throw stateWriteFailed(dir, error);
  }
  return await copyToSpool(dir, bytes);
}

function isSpooledFrom(spooled: Spooled | null, stamp: FileStamp | null): boolean {
  return spooled !== null && spooled.stamp !== null && stamp !== null && isSameStamp(spooled.stamp, stamp);
}

async function statInput(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function isGzip(path: string): Promise<boolean> {
  try {
    return await isGzipFile(path);
  } catch (error) {
    throw error instanceof RolloutError ? error : unreadable(path, error);
  }
}

function nothingOnStdin(): RolloutError {
  return new RolloutError('INPUT_UNREADABLE', 'nothing came on standard input: pipe the list into the command, or name a file');
}

function otherContents(name: string): RolloutError {
  return new RolloutError(
    'INPUT_CHANGED',
    `the input ${name} has other contents than the run was begun with: give it the same list again, or begin a new run with --fresh`,
  );
}

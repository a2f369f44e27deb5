import type { Buffer } from 'node:buffer';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { RolloutError } from '../../base/errors.ts';
import { type FileStamp, isSameStamp } from '../../base/fs/file-stamp.ts';
import { stateUnwritable } from '../../base/fs/state-error.ts';
import type { ItemForm } from '../../model/session.ts';
import { checkedForm, checkFileForm, endingLines } from './check-form.ts';
import type { Source } from './form-text.ts';
import { unreadable } from './input-error.ts';
import { type BegunStream, begin, isGzipFile, plainBytes } from './plain-bytes.ts';
import { copyToSpool, digest, readSpooled, type Spooled, spoolPath, writeSpooled } from './spool-file.ts';

export interface PrepareRequest {
  /** What its lines are meant to be. */
  readonly form: ItemForm;
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
 * on standard input stands for what was given before. A file that is no list of lines is refused as a whole (INPUT_FORMAT).
 */
export async function prepareInput(request: PrepareRequest): Promise<PreparedInput> {
  const { input, stateDir, form } = request;
  const dir = join(stateDir, 'spool');
  if (input === STDIN) return await prepareStdin(dir, request);
  const stats = await statInput(input);
  const stamp = stats.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : null;
  if (stamp !== null && !(await isGzip(input))) {
    await checkFileForm(input, form);
    return { path: input, isSpooled: false };
  }
  const spooled = await readSpooled(dir);
  if (!isSpooledFrom(spooled, stamp)) {
    const stream = await begin(createReadStream(input, { highWaterMark: PIECE_BYTES }), input);
    const source: Source = stamp === null ? { kind: 'stream', name: input } : { kind: 'gzip', path: input };
    await spool(dir, { ...request, stream, source, stamp }, spooled);
  }
  return { path: spoolPath(dir), isSpooled: true };
}

async function prepareStdin(dir: string, request: PrepareRequest): Promise<PreparedInput> {
  const { stdin } = request;
  const spooled = await readSpooled(dir);
  const stream = stdin === undefined || stdin.isTTY === true ? null : await begin(stdin, STDIN_NAME);
  const source: Source = { kind: 'stream', name: STDIN_NAME };
  if (stream !== null && stream.head.length > 0) await spool(dir, { ...request, stream, source, stamp: null }, spooled);
  else if (spooled === null) throw nothingOnStdin();
  return { path: spoolPath(dir), isSpooled: true };
}

interface Spooling extends Pick<PrepareRequest, 'form' | 'onBytes'> {
  readonly stream: BegunStream;
  readonly source: Source;
  readonly stamp: FileStamp | null;
}

/** Copies the stream, or only compares it where a copy is there. */
async function spool(
  dir: string,
  { stream, source, stamp, form, onBytes = () => undefined }: Spooling,
  spooled: Spooled | null,
): Promise<void> {
  const name = source.kind === 'stream' ? source.name : source.path;
  const bytes = endingLines(checkedForm(counted(plainBytes(stream, name), onBytes), source, form), source);
  if (spooled === null) return await writeSpooled(dir, { ...(await copyTo(dir, bytes)), stamp });
  const { sha256AtMark, ...contents } = await digest(bytes, { mark: spooled.bytes });
  if (spooled.sha256 !== contents.sha256) throw otherContents(name, sha256AtMark === spooled.sha256);
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
    throw stateUnwritable(dir, error);
  }
  return await copyToSpool(dir, bytes);
}

function isSpooledFrom(spooled: Spooled | null, stamp: FileStamp | null): boolean {
  return spooled !== null && spooled.stamp !== null && stamp !== null && isSameStamp(spooled.stamp, stamp);
}

/** Refuses what can be refused before a state directory is made: all but what a gzip file or a pipe holds. */
export async function checkInputFile(input: string, form: ItemForm): Promise<void> {
  if ((await statInput(input)).isFile() && !(await isGzip(input))) await checkFileForm(input, form);
}

async function statInput(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (stats.isFile() || stats.isFIFO()) return stats;
  throw unreadable(
    path,
    new Error(stats.isDirectory() ? 'it is a directory: name a file' : `it is ${kindOf(stats)}: name a regular file or a pipe`),
  );
}

function kindOf(stats: Stats): string {
  return stats.isSocket() ? 'a socket' : `a ${stats.isBlockDevice() ? 'block' : 'character'} device`;
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

function otherContents(name: string, isGrown: boolean): RolloutError {
  const more =
    'more lines than the run was begun with: give it the same list again, or write the longer one, unpacked, into a file and give that with --extend';
  const other = 'other contents than the run was begun with: give it the same list again';
  return new RolloutError('INPUT_CHANGED', `the input ${name} has ${isGrown ? more : other}, or begin a new run with --fresh`);
}

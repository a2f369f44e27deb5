import { Buffer } from 'node:buffer';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RolloutError } from '../../base/errors.ts';
import { unreadable } from './input-error.ts';

const GZIP_MAGIC = [0x1f, 0x8b] as const;
/** Unpacked bytes that are handed on at a time: fewer turns than zlib's own 16 KiB, and little memory. */
const PIECE_BYTES = 2 ** 18;

/** A stream whose first bytes have been seen. */
export interface BegunStream {
  /** At least as many bytes as tell gzip from plain text, unless the stream is shorter; empty for an empty stream. */
  readonly head: Buffer;
  /** All bytes, `head` included. */
  readonly pieces: AsyncIterable<Buffer>;
}

export async function begin(source: Readable, name: string): Promise<BegunStream> {
  const pieces = readPieces(source, name);
  let head: Buffer = Buffer.alloc(0);
  while (head.length < GZIP_MAGIC.length) {
    const next = await pieces.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return { head, pieces: joined(head, pieces) };
}

/** The bytes, uncompressed where they are gzip. */
export async function* plainBytes(stream: BegunStream, name: string): AsyncGenerator<Buffer> {
  if (!isGzip(stream.head)) return yield* stream.pieces;
  const source = Readable.from(stream.pieces, { objectMode: false });
  // An error of either part ends the reading below, which is where it is told.
  const plain = pipeline(source, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined);
  try {
    for await (const piece of plain) yield piece as Buffer;
  } catch (error) {
    throw error instanceof RolloutError ? error : brokenGzip(name, error);
  }
}

export function isGzip(head: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, at) => head[at] === byte);
}

/** Is the file gzip? Its contents say so; a name that ends in .gz must not say otherwise. */
export async function isGzipFile(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(GZIP_MAGIC.length);
    await handle.read(head, 0, head.length, 0);
    if (isGzip(head)) return true;
  } finally {
    await handle.close();
  }
  if (!path.endsWith('.gz')) return false;
  throw new RolloutError(
    'INPUT_UNREADABLE',
    `the input ${path} is named .gz and is not gzip: it was cut, or it is plain text; fetch it again, or drop .gz from its name`,
  );
}

async function* readPieces(source: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of source) yield Buffer.isBuffer(piece) ? piece : Buffer.from(piece as string, 'utf8');
  } catch (error) {
    throw unreadable(name, error);
  }
}

async function* joined(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

function brokenGzip(name: string, cause: unknown): RolloutError {
  const isCut = (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
  const why = isCut
    ? 'the gzip data ends too early: it was cut, or is still being written'
    : `the gzip data is damaged (${(cause as Error).message})`;
  return new RolloutError('INPUT_UNREADABLE', `cannot read the input ${name}: ${why}; fetch or compress it again (gzip -t checks a file)`, {
    cause,
  });
}

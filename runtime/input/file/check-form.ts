import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';
import type { ItemForm } from '../../model/session.ts';
import { ENDLESS_BYTES, endlessLine } from './endless-line.ts';
import type { FormProblem, Head } from './file-encoding.ts';
import { formProblem } from './file-form.ts';
import { formText, type Source } from './form-text.ts';

/** Enough lines to tell a list from another kind of file. */
const HEAD_BYTES = 2 ** 16;

/** Throws INPUT_FORMAT where the file is of another kind than a list of lines. */
export async function checkFileForm(path: string, form: ItemForm): Promise<void> {
  const handle = await open(path, 'r');
  try {
    refuse(formProblem(await headOf(handle), form), { kind: 'file', path });
  } finally {
    await handle.close();
  }
}

/** Hands on the pieces; throws INPUT_FORMAT, before the first, where they are of another kind than a list of lines. */
export async function* checkedForm(pieces: AsyncIterable<Buffer>, source: Source, form: ItemForm): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (head !== null) head = Buffer.concat([head, piece]);
    if (head === null) yield piece;
    else if (head.length >= HEAD_BYTES) {
      refuse(formProblem({ bytes: head, isWhole: false }, form), source);
      yield head;
      head = null;
    }
  }
  if (head === null) return;
  refuse(formProblem({ bytes: head, isWhole: true }, form), source);
  yield head;
}

async function headOf(handle: FileHandle): Promise<Head> {
  const bytes = Buffer.alloc(HEAD_BYTES);
  let filled = 0;
  while (filled < HEAD_BYTES) {
    const { bytesRead } = await handle.read(bytes, filled, HEAD_BYTES - filled, filled);
    if (bytesRead === 0) return { bytes: bytes.subarray(0, filled), isWhole: true };
    filled += bytesRead;
  }
  return { bytes, isWhole: false };
}

function refuse(problem: FormProblem | null, source: Source): void {
  if (problem !== null) throw new RolloutError('INPUT_FORMAT', formText(problem, source));
}

const LINE_FEED = 0x0a;

/** Hands on the pieces; throws INPUT_FORMAT where a line does not come to its end. */
export async function* endingLines(
  pieces: AsyncIterable<Buffer>,
  source: Source,
  mostBytes: number = ENDLESS_BYTES,
): AsyncGenerator<Buffer> {
  let open = 0;
  for await (const piece of pieces) {
    const feedAt = piece.lastIndexOf(LINE_FEED);
    open = feedAt < 0 ? open + piece.length : piece.length - feedAt - 1;
    if (open >= mostBytes) throw endlessLine(source, mostBytes);
    yield piece;
  }
}

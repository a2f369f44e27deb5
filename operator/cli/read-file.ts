import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { RolloutError } from '../../runtime/base/errors.ts';
import { explained, type Remedies } from '../../runtime/base/fs/refusal.ts';
import type { CliWorld } from './deps.ts';

const REMEDIES: Remedies = { ENOENT: 'there is no such file: check the path', EACCES: 'check its permissions', EISDIR: 'name a file' };
/** What stands for standard input in the place of a file. */
const STDIN = '-';

export function sourceOf({ cwd, stdin }: CliWorld, file: string): Readable {
  return file === STDIN ? stdin : createReadStream(resolve(cwd, file));
}

/** How messages call a file. */
export function shownName(file: string): string {
  return file === STDIN ? 'standard input' : file;
}

/** A whole file, or standard input for `-`. Throws USAGE where it cannot be read, or has more than `mostBytes`. */
export async function readWhole(world: CliWorld, file: string, mostBytes: number, tooLarge: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of sourceOf(world, file) as AsyncIterable<Buffer | string>) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      if (bytes > mostBytes) break;
    }
  } catch (cause) {
    const why = explained(cause, REMEDIES) ?? (cause as Error).message;
    throw new RolloutError('USAGE', `cannot read ${shownName(file)}: ${why}`, { cause });
  }
  if (bytes > mostBytes) throw new RolloutError('USAGE', `${shownName(file)} ${tooLarge}`);
  return Buffer.concat(pieces);
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LETTERS = 32;

/** Of all files of a folder and of some words: short enough for the value of a label. */
export function digestOf(folder: string, words: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(`\0${name}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, LETTERS);
}

import { createHash } from 'node:crypto';

const HASH_CHARACTERS = 16;

/** A short digest, for labels and annotations. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
}

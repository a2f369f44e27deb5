import type { KeyValues } from './key-values.ts';
import { type Kind, rangeOf } from './keys.ts';

/** Copies first and maps afterwards: a get in the middle of a walk may use the buffer that the walk lent out. */
export function list<T>(database: KeyValues, kind: Kind, map: (key: Buffer, value: Buffer) => T): T[] {
  const entries: { key: Buffer; value: Buffer }[] = [];
  for (const { key, value } of database.getRange(rangeOf(kind))) entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
  return entries.map(({ key, value }) => map(key, value));
}

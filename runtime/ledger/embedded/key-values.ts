/** What the rows of a store are kept in, in the order of their keys: LMDB, and a map in the simulation. */
export interface KeyValues {
  getBinary(key: Buffer): Buffer | undefined;
  /** `end` is the first key behind the range. */
  getRange(range: { readonly start: Buffer; readonly end: Buffer }): Iterable<{ readonly key: Buffer; readonly value: Buffer }>;
  putSync(key: Buffer, value: Buffer): unknown;
  removeSync(key: Buffer): unknown;
}

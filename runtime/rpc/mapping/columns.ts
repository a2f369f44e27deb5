import { Buffer } from 'node:buffer';
import { type ItemRef, MAX_INDEX } from '../../model/row.ts';
import type { ItemRefs, Lines } from '../gen/rollout/v1/worker_pb.ts';
import { type FieldCheck, MAX_LIST } from './field-check.ts';

/**
 * Items travel in columns: an object on the wire for each of them costs more than all else that a message needs. A column whose values
 * are all equal has one entry.
 */

const LINE_END = 0x0a;

type Columns<Message> = Omit<Message, '$typeName' | '$unknown'>;

/** Undefined, which takes no byte, where there are none. */
export function refsToWire(refs: readonly ItemRef[]): Columns<ItemRefs> | undefined {
  if (refs.length === 0) return undefined;
  return {
    indexes: refs.map(({ index }) => index),
    attempts: columnOf(refs, ({ attempt }) => attempt),
    claimEpochs: columnOf(refs, ({ claimEpoch }) => claimEpoch),
  };
}

export function refsFromWire(check: FieldCheck, field: string, wire: Columns<ItemRefs> | undefined): readonly ItemRef[] {
  const { indexes, attempts, claimEpochs } = checkedRefs(check, field, wire);
  return indexes.map((index, at) => ({ index, attempt: valueAt(attempts, at), claimEpoch: valueAt(claimEpochs, at) }));
}

const NO_REFS: Columns<ItemRefs> = { indexes: [], attempts: [], claimEpochs: [] };

/** The columns as they are, or none where something is wrong with them. */
export function checkedRefs(check: FieldCheck, field: string, wire: Columns<ItemRefs> | undefined): Columns<ItemRefs> {
  if (wire === undefined) return NO_REFS;
  const { indexes, attempts, claimEpochs } = wire;
  check.that(indexes.length <= MAX_LIST, field, `must have at most ${MAX_LIST} entries`);
  checkColumn(check, 'attempts', attempts, indexes.length);
  checkColumn(check, 'claim_epochs', claimEpochs, indexes.length);
  if (check.isWrong) return NO_REFS;
  check.that(!indexes.some((index) => index > MAX_INDEX), 'index', `must be at most ${MAX_INDEX}`);
  check.that(!attempts.includes(0), 'attempt', 'counts from 1');
  return wire;
}

export function linesToWire(lines: readonly Uint8Array[]): Columns<Lines> {
  return { lengths: lines.map(({ byteLength }) => byteLength), bytes: Buffer.concat(lines) };
}

/** The lines of `count` items. They share the memory of the message. A line end in one of them would make two lines of it. */
export function linesFromWire(check: FieldCheck, wire: Columns<Lines> | undefined, count: number): readonly Uint8Array[] {
  const { lengths, bytes } = wire ?? { lengths: [], bytes: new Uint8Array() };
  check.that(lengths.length === count, 'lines', `must be as many as their items, ${count}`);
  check.that(!lengths.includes(0), 'lines', 'must not be empty');
  check.that(lengths.reduce((sum, length) => sum + length, 0) === bytes.byteLength, 'lines', 'must be as long as their lengths say');
  check.that(!bytes.includes(LINE_END), 'lines', 'must not contain a line end (0x0A)');
  if (check.isWrong) return [];
  let end = 0;
  return lengths.map((length) => {
    end += length;
    // Not `subarray`: of a Buffer it makes Buffers, which cost several times as much.
    return new Uint8Array(bytes.buffer, bytes.byteOffset + end - length, length);
  });
}

/** One entry where all are equal. */
export function columnOf<T>(items: readonly T[], valueIn: (item: T) => number): number[] {
  const [first] = items;
  if (first === undefined) return [];
  const value = valueIn(first);
  return items.every((item) => valueIn(item) === value) ? [value] : items.map(valueIn);
}

export function checkColumn(check: FieldCheck, field: string, column: readonly number[], count: number): void {
  const isOneForAll = column.length === 1 && count > 0;
  check.that(isOneForAll || column.length === count, field, 'must have one entry, or one for each item');
}

/** The value of one item in a column that was checked. */
export function valueAt(column: readonly number[], at: number): number {
  return column[column.length === 1 ? 0 : at] ?? 0;
}

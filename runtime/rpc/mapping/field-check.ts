import { COORDINATOR_WORKER, type ItemRef, isWorkerId, MAX_INDEX } from '../../model/row.ts';
import { MAX_DETAIL_CHARACTERS } from '../../model/session.ts';
import type { ItemRef as WireRef } from '../gen/rollout/v1/worker_pb.ts';
import type { EnumTable } from './enums.ts';

/** What a message of the wire turned out to be. `field` is named as in the .proto file. */
export type Checked<T> = { readonly kind: 'ok'; readonly value: T } | InvalidField;

export interface InvalidField {
  readonly kind: 'invalid';
  readonly field: string;
  readonly problem: string;
}

/** A list longer than this is a mistake: the largest honest one is what a worker holds. */
export const MAX_LIST = 65_536;
/** Twice what a worker sends, 128 bits in hexadecimal: nonces are kept in memory. */
const MAX_NONCE_CHARACTERS = 64;
/** Codes are short words; what is longer is text and belongs into the message. */
const MAX_CODE_CHARACTERS = 256;
/** Whatever ends a line, or moves the cursor of a terminal that shows the text. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/**
 * Builds a model value field by field and remembers the first field that is wrong. Each method answers a value that has the right
 * type; when a mistake was found the built value is thrown away.
 */
export class FieldCheck {
  #first: InvalidField | null = null;

  get isWrong(): boolean {
    return this.#first !== null;
  }

  done<T>(value: T): Checked<T> {
    return this.#first ?? { kind: 'ok', value };
  }

  that(isRight: boolean, field: string, problem: string): void {
    if (!isRight) this.#first ??= { kind: 'invalid', field, problem };
  }

  workerId(text: string): string {
    this.that(isWorkerId(text), 'worker_id', "must be 1 to 64 letters, digits, '-', '_' or '.'");
    this.that(text !== COORDINATOR_WORKER, 'worker_id', `must not be ${COORDINATOR_WORKER}: under that name the coordinator records`);
    return text;
  }

  bootNonce(text: string): string {
    this.that(text.length > 0 && text.length <= MAX_NONCE_CHARACTERS, 'boot_nonce', 'must have 1 to 64 characters');
    return text;
  }

  counted(field: string, value: number): number {
    this.that(value >= 1, field, 'counts from 1');
    return value;
  }

  atMost(field: string, value: number, limit: number): number {
    this.that(value <= limit, field, `must be at most ${limit}`);
    return value;
  }

  code(text: string): string {
    this.that(text.length <= MAX_CODE_CHARACTERS, 'code', `must have at most ${MAX_CODE_CHARACTERS} characters`);
    return text;
  }

  /** Shown to people as it is. */
  detail(text: string, field = 'detail'): string {
    this.that(text.length <= MAX_DETAIL_CHARACTERS, field, `must have at most ${MAX_DETAIL_CHARACTERS} characters`);
    this.that(!CONTROL.test(text), field, 'must be one line, without control characters');
    return text;
  }

  word<Word extends string>(field: string, number: number, table: EnumTable<Word, unknown>, instead: Word): Word {
    const word = table.fromWire.get(number);
    this.that(word !== undefined, field, `${number} is not a known value`);
    return word ?? instead;
  }

  text<Word extends string>(field: string, text: string, words: Readonly<Record<Word, true>>, instead: Word): Word {
    const isKnown = Object.hasOwn(words, text);
    this.that(isKnown, field, `must be one of ${Object.keys(words).join(', ')}`);
    return isKnown ? (text as Word) : instead;
  }

  ref(ref: WireRef | undefined): ItemRef {
    this.that(ref !== undefined, 'ref', 'is missing');
    const { index, attempt, claimEpoch } = ref ?? { index: 0, attempt: 1, claimEpoch: 0 };
    this.atMost('index', index, MAX_INDEX);
    return { index, attempt: this.counted('attempt', attempt), claimEpoch };
  }

  list<Wire, T>(field: string, items: readonly Wire[], each: (item: Wire) => T): readonly T[] {
    this.that(items.length <= MAX_LIST, field, `must have at most ${MAX_LIST} entries`);
    return items.length <= MAX_LIST ? items.map(each) : [];
  }
}

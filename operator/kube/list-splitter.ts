/**
 * Takes the objects of a list out of its JSON as the bytes come, so that a list of thousands of objects is never in memory as a whole:
 * each one is parsed, trimmed and let go. The objects are the elements of the member `items` of the outermost object. Pure.
 */

/** The API server takes no object above 3 MiB; a server of another kind behind it may. */
export const MAX_OBJECT_BYTES: number = 32 * 2 ** 20;
/** Everything but the objects: a few fields. */
const MAX_REST_BYTES = 2 ** 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Braces and brackets that are open around an element of `items`. */
const ITEMS_DEPTH = 2;

/** Bytes of one thing that came in several chunks. */
class Gathered {
  readonly #name: string;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#limit) throw new Error(`${this.#name} has more than ${this.#limit} bytes`);
    this.#parts.push(part);
  }

  take(): string {
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}

export class ListSplitter {
  readonly #object = new Gathered('an object of the list', MAX_OBJECT_BYTES);
  readonly #rest = new Gathered('the list without its objects', MAX_REST_BYTES);
  #depth = 0;
  #isInItems = false;
  #isInString = false;
  #isEscaped = false;
  /** The member of the outermost object whose value comes next. */
  #member = '';
  #word: number[] = [];

  /** The texts of the objects that end within this chunk. Throws where an object is too large. */
  push(chunk: Buffer): readonly string[] {
    const texts: string[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.#isInString) {
        this.#inString(byte);
      } else if (byte === QUOTE) {
        this.#isInString = true;
        this.#word = [];
      } else if (byte === COLON) {
        if (this.#depth === 1) this.#member = String.fromCharCode(...this.#word);
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        from = this.#onOpen(byte, chunk, from, at);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        from = this.#onClose(chunk, from, at, texts);
      }
    }
    this.#keep(chunk.subarray(from));
    return texts;
  }

  /** The list with no objects in it, once all chunks have been pushed. Throws where the JSON has not ended. */
  end(): string {
    if (this.#depth !== 0 || this.#isInString) throw new Error('the list broke off');
    return this.#rest.take();
  }

  /** Only names of members of the outermost object are looked at, and they are short. */
  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
    else if (this.#depth === 1 && this.#word.length < 64) this.#word.push(byte);
  }

  #onOpen(byte: number, chunk: Buffer, from: number, at: number): number {
    const isItem = this.#isInItems && this.#depth === ITEMS_DEPTH;
    const isItems = byte === OPEN_LIST && this.#depth === 1 && this.#member === 'items';
    this.#depth += 1;
    // Commas and spaces between two objects belong to nothing.
    if (isItem) return at;
    if (!isItems) return from;
    this.#keep(chunk.subarray(from, at + 1));
    this.#isInItems = true;
    return at + 1;
  }

  #onClose(chunk: Buffer, from: number, at: number, texts: string[]): number {
    this.#depth -= 1;
    if (!this.#isInItems) return from;
    if (this.#depth === ITEMS_DEPTH) {
      this.#object.add(chunk.subarray(from, at + 1));
      texts.push(this.#object.take());
      return at + 1;
    }
    if (this.#depth > 1) return from;
    this.#isInItems = false;
    return at;
  }

  #keep(part: Buffer): void {
    if (!this.#isInItems) this.#rest.add(part);
    else if (this.#depth > ITEMS_DEPTH) this.#object.add(part);
  }
}

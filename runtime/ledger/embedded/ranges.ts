import type { ItemIndex } from '../../model/row.ts';
import { cutAtPage, RangePage, rangePageOf } from '../range-page.ts';
import type { GrantedRange, Running } from '../rows.ts';
import type { KeyValues } from './key-values.ts';
import { numberOf, rangePageKey } from './keys.ts';
import { list } from './list.ts';
import type { Names } from './names.ts';

/** The granted ranges of a store, as one decision sees and changes them: each page that it touches is read and written once. */
export class Ranges {
  readonly #database: KeyValues;
  readonly #names: Names;
  readonly #pages = new Map<number, RangePage>();

  constructor(database: KeyValues, names: Names) {
    this.#database = database;
    this.#names = names;
  }

  itemAt(index: ItemIndex): Running | null {
    return this.#page(index).itemAt(index);
  }

  everyOpen(): readonly { readonly index: ItemIndex; readonly item: Running }[] {
    return list(this.#database, 'rangePage', (key, value) => new RangePage(numberOf(key), value, this.#names).openItems()).flat();
  }

  grant(range: GrantedRange): void {
    for (let rest: GrantedRange | null = range; rest !== null; ) {
      const [part, after] = cutAtPage(rest);
      this.#page(part.from).grant(part);
      rest = after;
    }
  }

  /** From now on the item has a row of its own, or is recorded; false where it was so before. */
  close(index: ItemIndex): boolean {
    return this.#page(index).close(index);
  }

  write(): void {
    for (const [number, page] of this.#pages) {
      if (!page.isChanged) continue;
      const bytes = page.pack(this.#names);
      if (bytes === null) this.#database.removeSync(rangePageKey(number));
      else this.#database.putSync(rangePageKey(number), Buffer.from(bytes.buffer));
    }
  }

  #page(index: ItemIndex): RangePage {
    const number = rangePageOf(index);
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const page = new RangePage(number, this.#database.getBinary(rangePageKey(number)) ?? null, this.#names);
    this.#pages.set(number, page);
    return page;
  }
}

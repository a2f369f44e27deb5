import { open, type RootDatabase } from 'lmdb';

/** Who may do what: a cursor, ranges that were granted, and a bit for each item that is done; in LMDB, one transaction a cycle. */
export interface Settled {
  readonly worker: number;
  readonly indexes: Uint32Array;
}

export interface Wanted {
  readonly worker: number;
  readonly credit: number;
}

export interface Grant {
  readonly worker: number;
  readonly first: number;
  readonly count: number;
}

type Database = RootDatabase<Buffer, Buffer>;

const HEAD = Buffer.from('h');
const HEAD_BYTES = 12;
const RANGE = 1;
const PAGE = 2;
/** As many bits as one row holds. */
const PAGE_ITEMS = 4_096;

export class Table {
  readonly #database: Database;
  readonly #epoch: number;
  readonly #items: number;
  readonly #owners: Uint16Array;
  readonly #pages: Map<number, Buffer> = new Map();
  #cursor = 0;
  #done = 0;

  private constructor(database: Database, epoch: number, items: number) {
    this.#database = database;
    this.#epoch = epoch;
    this.#items = items;
    this.#owners = new Uint16Array(items);
  }

  /** As the product opens its store: an answer comes after its commit is on disk. */
  static async create(path: string, epoch: number, items: number): Promise<Table> {
    const options = {
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      overlappingSync: false,
      eventTurnBatching: false,
    } as const;
    const table = new Table(open<Buffer, Buffer>(options), epoch, items);
    await table.#database.put(HEAD, table.#head());
    return table;
  }

  get isFinished(): boolean {
    return this.#done === this.#items;
  }

  hasFresh(known: number): boolean {
    return this.#cursor < known;
  }

  /** Settles, then grants ranges of the items below `known`; at the end of the list each worker gets its share. */
  commit(settled: readonly Settled[], wanted: readonly Wanted[], known: number): Promise<readonly Grant[]> {
    return this.#database.transaction(() => {
      const epoch = this.#database.get(HEAD)?.readUInt32LE(0);
      if (epoch !== this.#epoch) throw new Error(`deposed by epoch ${epoch}`);
      this.#settle(settled);
      const grants = wanted.flatMap((one) => this.#grant(one, known, wanted.length));
      this.#database.putSync(HEAD, this.#head());
      return grants;
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #settle(settled: readonly Settled[]): void {
    const dirty = new Set<number>();
    for (const { worker, indexes } of settled) {
      for (const index of indexes) {
        if (this.#owners[index] !== worker) continue;
        this.#owners[index] = 0;
        this.#setBit(index, dirty);
        this.#done += 1;
      }
    }
    for (const number of dirty) this.#database.putSync(keyOf(PAGE, number), this.#page(number));
  }

  #setBit(index: number, dirty: Set<number>): void {
    const number = Math.floor(index / PAGE_ITEMS);
    const [page, bit] = [this.#page(number), index % PAGE_ITEMS];
    page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
    dirty.add(number);
  }

  #page(number: number): Buffer {
    const page = this.#pages.get(number) ?? Buffer.alloc(PAGE_ITEMS / 8);
    this.#pages.set(number, page);
    return page;
  }

  #grant({ worker, credit }: Wanted, known: number, workers: number): readonly Grant[] {
    const share = Math.max(1, Math.ceil((this.#items - this.#cursor) / workers));
    const [first, count] = [this.#cursor, Math.min(credit, known - this.#cursor, share)];
    if (count <= 0) return [];
    const row = Buffer.allocUnsafe(HEAD_BYTES);
    row.writeUInt32LE(count, 0);
    row.writeUInt32LE(worker, 4);
    row.writeUInt32LE(this.#epoch, 8);
    this.#database.putSync(keyOf(RANGE, first), row);
    this.#owners.fill(worker, first, first + count);
    this.#cursor += count;
    return [{ worker, first, count }];
  }

  #head(): Buffer {
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(this.#epoch, 0);
    head.writeUInt32LE(this.#cursor, 4);
    head.writeUInt32LE(this.#done, 8);
    return head;
  }
}

function keyOf(kind: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = kind;
  key.writeUInt32BE(number, 1);
  return key;
}

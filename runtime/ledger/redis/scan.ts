import { assert } from '../../base/assert.ts';
import type { Epoch } from '../../model/row.ts';
import type { Fenced } from '../contract.ts';
import { type Reply, refusalOf } from './refusal.ts';
import type { Session } from './session.ts';
import { countOf, entriesOf, type Stored } from './stored-rows.ts';

/** Entries, or bytes of a bitmap, of one page: a script takes well below a millisecond for it. */
const ENTRIES = 1_000;
const BYTES: number = 64 * 2 ** 10;
/** So often a scan begins again where the store was written meanwhile. Nobody but the caller writes under its epoch. */
const MAX_TRIES = 20;

type Part = 'head' | 'open' | 'items' | 'workers' | 'tallies' | 'done' | 'failed';
type Page = readonly [kind: Buffer, writes: number, next: Buffer, content: readonly Buffer[]];

/** Reads all keys of the run in pages of one and the same state: each checks the epoch, and none may see a write more than the first. */
export async function readStored(session: Session, epoch: Epoch): Promise<Stored | Fenced> {
  const fenced = await session.carryOnReopening(epoch);
  if (fenced !== null) return fenced;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const reading = new Reading(session, epoch);
    const stored = await reading.all();
    if (reading.fenced !== null) return reading.fenced;
    if (stored !== null) return stored;
  }
  return assert(false, 'nobody writes while a coordinator scans') as never;
}

class Reading {
  fenced: Fenced | null = null;
  readonly #session: Session;
  readonly #epoch: Epoch;
  #writes: number | null = null;
  #isTorn = false;

  constructor(session: Session, epoch: Epoch) {
    this.#session = session;
    this.#epoch = epoch;
  }

  /** Null where it was fenced, or the store was written meanwhile. */
  async all(): Promise<Stored | null> {
    const [head, state, place, redone] = await this.#part('head', 1);
    if (head === undefined) return null;
    const [open, items, workers, tallies] = [
      await this.#hash('open'),
      await this.#hash('items'),
      await this.#hash('workers'),
      await this.#hash('tallies'),
    ];
    const bits = { done: Buffer.concat(await this.#part('done', BYTES)), failed: Buffer.concat(await this.#part('failed', BYTES)) };
    if (this.#isTorn || this.fenced !== null) return null;
    return {
      head,
      redone: countOf(redone),
      state: state ?? new Uint8Array(),
      place: place?.toString() ?? '',
      open: numbered(open),
      items: numbered(items),
      bits,
      workers: new Map(workers.map(([name, value]) => [name.toString(), value])),
      tallies: numbered(tallies),
    };
  }

  /** HSCAN may give an entry twice; a map keeps one. */
  async #hash(what: Part): Promise<readonly (readonly [Buffer, Buffer])[]> {
    return entriesOf(await this.#part(what, ENTRIES));
  }

  async #part(what: Part, amount: number): Promise<readonly Buffer[]> {
    const content: Buffer[] = [];
    let from = '0';
    do {
      if (this.#isTorn || this.fenced !== null) return [];
      const page = await this.#page(what, from, amount);
      if (page === null) return [];
      for (const one of page[3]) content.push(one);
      from = page[2].toString();
    } while (from !== '0');
    return content;
  }

  async #page(what: Part, from: string, amount: number): Promise<Page | null> {
    const reply = await this.#session.runBytes('scan-page', [...this.#session.stamp(this.#epoch), what, from, amount]);
    const refusal = refusalOf(this.#epoch, [String(reply[0]), ...reply.slice(1)] as unknown as Reply);
    if (refusal?.kind === 'fenced') {
      this.fenced = refusal;
      return null;
    }
    const page = reply as unknown as Page;
    this.#isTorn ||= this.#writes !== null && this.#writes !== page[1];
    this.#writes ??= page[1];
    return page;
  }
}

function numbered(entries: readonly (readonly [Buffer, Buffer])[]): ReadonlyMap<number, Uint8Array> {
  return new Map(entries.map(([key, value]) => [Number(key.toString()), value]));
}

import type { Epoch } from '../../model/row.ts';
import type { Fenced, Gone, Overtaken } from '../contract.ts';
import { type Connection, failing } from './connection.ts';
import { keyOf, keysOf } from './keys.ts';
import { NameBook } from './names.ts';
import { type Reply, refusalOf, requireCarriedOut } from './refusal.ts';
import { type Argument, defineScripts, type ScriptName, type Scripts } from './scripts.ts';
import { entriesOf, workerRowOf } from './stored-rows.ts';

const NAMES_AT_ONCE = 1_000;

/** What a script under no epoch is sent in place of the stamp (lua/lib/head.lua). */
export const NO_EPOCH: readonly Argument[] = [-1, '', 0];

/**
 * One caller of one run's store. It knows how many writes it has seen and of which store, and sends both with every verb under an epoch:
 * a store that shows less has lost writes, or is another one (L40).
 */
export class Session {
  readonly names: NameBook = new NameBook();
  readonly #connection: Connection;
  readonly #scripts: Scripts;
  readonly #workersKey: string;
  #identity = '';
  #writes = 0;

  constructor(connection: Connection, runId: string) {
    this.#connection = connection;
    this.#scripts = defineScripts(connection, keysOf(runId));
    this.#workersKey = keyOf(runId, 'workers');
  }

  get identity(): string {
    return this.#identity;
  }

  /** The store that this caller now writes to. */
  attach(identity: string, writes: number): void {
    this.#identity = identity;
    this.#writes = writes;
  }

  async run(name: ScriptName, args: readonly Argument[]): Promise<Reply> {
    const reply = (await failing(this.#connection, this.#scripts.run(name, args))) as Reply;
    requireCarriedOut(reply);
    return reply;
  }

  async runBytes(name: ScriptName, args: readonly Argument[]): Promise<readonly unknown[]> {
    const reply = (await failing(this.#connection, this.#scripts.runBytes(name, args))) as readonly unknown[];
    requireCarriedOut(reply);
    return reply;
  }

  /** A verb under an epoch; a refusal that every verb may give, or its own reply. */
  async under(epoch: Epoch, name: ScriptName, args: readonly Argument[]): Promise<Reply | Fenced | Gone | Overtaken> {
    for (;;) {
      const reply = await this.run(name, [...this.stamp(epoch), ...args]);
      const refusal = refusalOf(epoch, reply);
      if (refusal !== null) return refusal;
      this.#writes = Math.max(this.#writes, reply[1] as number);
      if (reply[0] !== 'reopening') return reply;
      const fenced = await this.carryOnReopening(epoch);
      if (fenced !== null) return fenced;
    }
  }

  /** Carries out what is left of a reopening that is decided (L45): nothing else may be done to the run before. */
  async carryOnReopening(epoch: Epoch): Promise<Fenced | null> {
    for (;;) {
      const reply = await this.under(epoch, 'reopen-on', []);
      if ('kind' in reply) return reply as Fenced;
      if (reply[0] === 'reopened') return null;
    }
  }

  stamp(epoch: Epoch): readonly Argument[] {
    return [epoch, this.#identity, this.#writes];
  }

  /**
   * Makes something of a reply that names workers by number. Who has scanned the run and registers its workers knows all names; another
   * caller reads them, in pages.
   */
  async named<T>(make: (names: NameBook) => T): Promise<T> {
    this.names.isMissing = false;
    const made = make(this.names);
    if (!this.names.isMissing) return made;
    let cursor = '0';
    do {
      const [next, flat] = await failing(this.#connection, this.#connection.hscanBuffer(this.#workersKey, cursor, 'COUNT', NAMES_AT_ONCE));
      for (const [name, row] of entriesOf(flat)) this.names.keep(workerRowOf(row).number, name.toString());
      cursor = next.toString();
    } while (cursor !== '0');
    return make(this.names);
  }
}

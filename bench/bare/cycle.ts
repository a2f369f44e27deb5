import type { Input } from './input.ts';
import { EMPTY, linesOf, type Message } from './message.ts';
import type { ResultLog } from './result-log.ts';
import type { Grant, Table } from './table.ts';

interface Peer {
  readonly send: (message: Message) => void;
  credit: number;
}

interface Heard {
  readonly worker: number;
  readonly message: Message;
}

const LAST: Message = { ...EMPTY, isLast: true };

/** While one cycle is under way, messages gather; the next takes in all of them. The order of effects is that of the product. */
export class Cycle {
  readonly #input: Input;
  readonly #log: ResultLog;
  readonly #table: Table;
  readonly #peers: Map<number, Peer> = new Map();
  #heard: Heard[] = [];
  #isUnderWay = false;
  #isOver = false;

  constructor(input: Input, log: ResultLog, table: Table) {
    this.#input = input;
    this.#log = log;
    this.#table = table;
  }

  /** Its number: from 1. */
  addWorker(send: Peer['send']): number {
    const worker = this.#peers.size + 1;
    this.#peers.set(worker, { send, credit: 0 });
    // A short list is over before all workers are there.
    if (this.#isOver) send(LAST);
    return worker;
  }

  onMessage(worker: number, message: Message): void {
    const peer = this.#peers.get(worker);
    if (peer !== undefined) peer.credit += message.credit;
    if (message.indexes.length > 0) this.#heard.push({ worker, message });
  }

  sayLast(): void {
    this.#isOver = true;
    for (const { send } of this.#peers.values()) send(LAST);
  }

  /** Goes round as long as there is something to do; a call while it does so changes nothing. */
  async run(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    while (this.#heard.length > 0 || this.#canGrant()) await this.#once();
    this.#isUnderWay = false;
  }

  #canGrant(): boolean {
    return this.#table.hasFresh(this.#input.known()) && [...this.#peers.values()].some(({ credit }) => credit > 0);
  }

  async #once(): Promise<void> {
    const heard = this.#heard;
    this.#heard = [];
    if (heard.length > 0) await this.#log.append(heard.flatMap(({ message }) => [...linesOf(message)]));
    const settled = heard.map(({ worker, message }) => ({ worker, indexes: message.indexes }));
    const wanted = [...this.#peers].map(([worker, { credit }]) => ({ worker, credit }));
    const grants = await this.#table.commit(settled, wanted, this.#input.known());
    for (const [worker, peer] of this.#peers) await this.#answer(worker, peer, heard, grants);
  }

  /** What is acknowledged and what is granted go in one message. */
  async #answer(worker: number, peer: Peer, heard: readonly Heard[], grants: readonly Grant[]): Promise<void> {
    const own = heard.filter((one) => one.worker === worker).map(({ message }) => message.indexes);
    const grant = grants.find((one) => one.worker === worker);
    if (own.length === 0 && grant === undefined) return;
    const lines = grant === undefined ? EMPTY : await this.#input.read(grant.first, grant.count);
    peer.credit -= grant?.count ?? 0;
    peer.send({ ...lines, acknowledged: joined(own) });
  }
}

function joined(columns: readonly Uint32Array[]): Uint32Array {
  const whole = new Uint32Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const column of columns) {
    whole.set(column, at);
    at += column.length;
  }
  return whole;
}

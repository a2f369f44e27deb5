import { seededRandom, systemRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisRun } from '../../runtime/ledger/redis/ledger.ts';
import type { ServerOptions } from '../../runtime/ledger/redis/primary.ts';
import type { Session } from '../../runtime/ledger/redis/session.ts';
import { inlinePlace } from '../../runtime/results/inline/place.ts';
import type { ResultsPlace } from '../../runtime/results/place/contract.ts';
import { request } from './ledger-start.ts';

export interface Holder {
  readonly ledger: Ledger;
  readonly session: Session;
  readonly place: ResultsPlace;
}

export interface InlineServer {
  readonly url: string;
  readonly options: ServerOptions;
}

export interface InlineRunOptions {
  readonly limitBytes?: number;
  /** How long a finished run is kept; for ever where it is not said. */
  readonly expireAfterMs?: number;
  /** Of a proxy before the server. */
  readonly port?: number;
}

/** A run on a server whose results are there too, as one coordinator after the other has it. */
export class InlineRun {
  readonly runId: string;
  readonly #server: InlineServer;
  readonly #options: InlineRunOptions;
  readonly #holders: Holder[] = [];

  constructor(server: InlineServer, runId: string, options: InlineRunOptions = {}) {
    this.#server = server;
    this.runId = runId;
    this.#options = options;
  }

  /** As one more process, which has won this epoch; where it is held already, as one more process of that epoch. */
  async hold(epoch: number): Promise<Holder> {
    const holder = await this.#open();
    for (;;) {
      const { lease } = await holder.ledger.readLease();
      if (lease !== null && lease.epoch >= epoch) break;
      await holder.ledger.acquire({ ...request(`holder-${this.#holders.length}-${(lease?.epoch ?? -1) + 1}`, lease), grounds: 'watched' });
    }
    return holder;
  }

  async close(): Promise<void> {
    await Promise.all(this.#holders.map(({ ledger }) => ledger.dispose()));
  }

  async #open(): Promise<Holder> {
    const { runId } = this;
    const { limitBytes = Number.POSITIVE_INFINITY, port, expireAfterMs = 0 } = this.#options;
    const opened = await openRedisRun({
      ...{ runId, redis: { ...this.#server.options, ...(port === undefined ? {} : { port }) }, random: seededRandom(this.#holders.length) },
      ...{ expireAfterMs, onError: () => undefined },
    });
    const holder = {
      ...opened,
      place: inlinePlace({ session: opened.session, runId, server: this.#server.url, limitBytes, random: systemRandom }),
    };
    this.#holders.push(holder);
    return holder;
  }
}

import { join } from 'node:path';
import { assert } from '../../runtime/base/assert.ts';
import type { Ledger, Place } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Frame, ResultLog } from '../../runtime/results/log/contract.ts';
import type { ResultsPlace } from '../../runtime/results/place/contract.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { claim, settle } from './commit-parts.ts';
import { createdLog, openedPlace } from './created-log.ts';
import { by, SOME_WORKER, win } from './ledger-start.ts';

const WORKER = 'w1';

/** A run whose ledger is in memory and whose result log is real: what export and verify read, made without any process. */
export class RecordedRun {
  /** The directory of the segments. */
  readonly segments: string;
  readonly place: ResultsPlace;
  readonly ledger: Ledger;
  readonly #identity: Place;
  #lease: Lease;
  #log: ResultLog;

  private constructor(segments: string, ledger: Ledger, identity: Place, lease: Lease, log: ResultLog) {
    this.segments = segments;
    this.place = directoryPlace(segments);
    this.ledger = ledger;
    this.#identity = identity;
    this.#lease = lease;
    this.#log = log;
  }

  /** A run of epoch 0 whose first `items` items are running. */
  static async start(dir: string, items: number): Promise<RecordedRun> {
    const segments = join(dir, 'segments');
    const ledger = createMemoryLedger();
    const lease = await win(ledger, 'holder-0');
    const identity = await openedPlace(directoryPlace(segments), lease.epoch);
    await ledger.bind(lease.epoch, identity);
    await ledger.register(by(lease.epoch), WORKER, SOME_WORKER);
    if (items > 0) await claim(ledger, lease.epoch, WORKER, [{ cursor: 0, count: items }]);
    return new RecordedRun(segments, ledger, identity, lease, await createdLog(directoryPlace(segments), lease.epoch, identity));
  }

  get epoch(): number {
    return this.#lease.epoch;
  }

  /** Into the log, but not into the ledger: what a crash between the two leaves. */
  async append(frames: readonly Frame[]): Promise<void> {
    await this.#log.append(frames);
  }

  async settle(frames: readonly Frame[]): Promise<void> {
    const outcomes = frames.map((frame) => ({ index: frame.index, attempt: 1, claimEpoch: 0, isResult: frame.kind === 'result' }));
    const reply = await settle(this.ledger, this.epoch, WORKER, outcomes);
    assert(reply.kind === 'settled' && reply.verdicts.every((verdict) => verdict === 'accepted'), `not accepted: ${JSON.stringify(reply)}`);
  }

  async record(frames: readonly Frame[]): Promise<void> {
    await this.append(frames);
    await this.settle(frames);
  }

  /** Another coordinator takes over: the next epoch, with a segment of its own. */
  async failOver(): Promise<void> {
    await this.#log.close();
    await this.ledger.release(this.#lease);
    this.#lease = await win(this.ledger, `holder-${this.epoch + 1}`);
    this.#log = await createdLog(this.place, this.epoch, this.#identity);
  }

  async finish(items: number): Promise<void> {
    const reply = await this.ledger.finish(by(this.epoch), items);
    assert(reply.kind === 'finished', `not finished: ${JSON.stringify(reply)}`);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

import { join } from 'node:path';
import { assert } from '../../runtime/base/assert.ts';
import type { Ledger, Place } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Frame, ResultLog } from '../../runtime/results/log/contract.ts';
import { createResultLog } from '../../runtime/results/log/log.ts';
import { openPlace } from '../../runtime/results/log/place.ts';
import { claim, settle } from './commit-parts.ts';
import { by, SOME_WORKER, win } from './ledger-start.ts';

const WORKER = 'w1';

/** A run whose ledger is in memory and whose result log is real: what export and verify read, made without any process. */
export class RecordedRun {
  readonly segments: string;
  readonly ledger: Ledger;
  readonly #place: Place;
  #lease: Lease;
  #log: ResultLog;

  private constructor(segments: string, ledger: Ledger, place: Place, lease: Lease, log: ResultLog) {
    this.segments = segments;
    this.ledger = ledger;
    this.#place = place;
    this.#lease = lease;
    this.#log = log;
  }

  /** A run of epoch 0 whose first `items` items are running. */
  static async start(dir: string, items: number): Promise<RecordedRun> {
    const segments = join(dir, 'segments');
    const ledger = createMemoryLedger();
    const place = await openPlace(segments, 'a-run');
    const lease = await win(ledger, 'holder-0');
    await ledger.bind(lease.epoch, place);
    await ledger.register(by(lease.epoch), WORKER, SOME_WORKER);
    if (items > 0) await claim(ledger, lease.epoch, WORKER, [{ cursor: 0, count: items }]);
    return new RecordedRun(segments, ledger, place, lease, await createResultLog({ dir: segments, epoch: lease.epoch, place }));
  }

  get epoch(): number {
    return this.#lease.epoch;
  }

  /** Into the log, but not into the ledger: what a crash between the two leaves. */
  append(frames: readonly Frame[]): Promise<void> {
    return this.#log.append(frames);
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
    this.#log = await createResultLog({ dir: this.segments, epoch: this.epoch, place: this.#place });
  }

  async finish(items: number): Promise<void> {
    const reply = await this.ledger.finish(by(this.epoch), items);
    assert(reply.kind === 'finished', `not finished: ${JSON.stringify(reply)}`);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

import { silentLog } from '../../runtime/base/log.ts';
import { createEnd, type End } from '../../runtime/coordinator/end.ts';
import { createLedgerWriter } from '../../runtime/coordinator/ledger-writer.ts';
import { createLoop, type Loop } from '../../runtime/coordinator/loop.ts';
import { stateFrom } from '../../runtime/coordinator/mirror.ts';
import { createPerformer } from '../../runtime/coordinator/performer.ts';
import { createRecorder } from '../../runtime/coordinator/recorder.ts';
import { Replies } from '../../runtime/coordinator/replies.ts';
import type { Keeper } from '../../runtime/lease/contract.ts';
import { winLease } from '../../runtime/lease/keeper.ts';
import type { Ledger, Scan } from '../../runtime/ledger/contract.ts';
import type { RunEvent } from '../../runtime/model/event.ts';
import { createFaultyLedger } from '../support/faulty-ledger.ts';
import { SETTINGS } from '../support/machine.ts';
import { SimProcess } from './sim-process.ts';
import { createSlowLedger } from './slow-ledger.ts';
import type { World } from './world.ts';

const TTL_MS = SETTINGS.coordinatorFailureTimeoutMs;

/** One coordinator process: the real lease, writer, loop and machine over a ledger that all of them share. */
export class SimCoordinator {
  readonly process: SimProcess;
  readonly address: string;
  readonly events: RunEvent[] = [];
  loop: Loop | null = null;
  isOver = false;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #stop = new AbortController();

  constructor(world: World, address: string) {
    this.#world = world;
    this.address = address;
    this.process = new SimProcess(world.clock);
    const slow = createSlowLedger(world.witnessed, world.random, this.process.clock);
    this.#ledger = createFaultyLedger(slow, (verb) =>
      verb === 'readLease' || verb === 'scan' || verb === 'bind' ? null : world.ledgerFault(),
    );
  }

  start(pid: number): void {
    // L20: so many words of unknown fate in a row that the store counts as broken do not come by chance.
    this.#run(pid).catch((cause: unknown) => {
      if (!this.process.isDead) this.#world.fail(cause);
    });
  }

  kill(): void {
    this.process.kill();
    this.isOver = true;
  }

  /** As SIGTERM: the lease is given up and the next one follows at once. */
  interrupt(): void {
    this.#stop.abort();
  }

  async #run(pid: number): Promise<void> {
    const { clock } = this.process;
    const keeper = await winLease({
      ledger: {
        ...this.#ledger,
        readLease: () => this.#ledger.readLease(),
        acquire: (request) => this.#world.ledger.acquire(request),
        renew: (held) => this.#ledger.renew(held),
        release: (held) => this.#ledger.release(held),
      },
      clock,
      holder: this.#world.random.hex(8),
      process: { bootId: 'b', pid, startTime: '1', uid: 0 },
      address: this.address,
      floor: -1,
      ttlMs: TTL_MS,
      renewIntervalMs: Math.floor(TTL_MS / 3),
      isDead: async (process) => this.#world.isDead(process.pid),
      signal: this.#stop.signal,
      onPassive: () => undefined,
    });
    const { epoch } = keeper.lease();
    const bound = await this.#ledger.bind(epoch, { placeId: 'p', runId: 'r' });
    if (bound.kind === 'fenced') return this.#leave(keeper, { kind: 'fenced', epoch: bound.epoch });
    const scan = await this.#ledger.scan(epoch);
    if (scan.kind === 'fenced') return this.#leave(keeper, { kind: 'fenced', epoch: scan.epoch });
    if (scan.progress.state.kind === 'completed') return this.#leave(keeper, { kind: 'completed' });
    await this.#leave(keeper, await this.#serve(keeper, scan));
  }

  async #serve(keeper: Keeper, scan: Scan): Promise<End> {
    const { clock } = this.process;
    const { random } = this.#world;
    const { epoch } = keeper.lease();
    const resumed: Scan = { ...scan, progress: { ...scan.progress, state: { kind: 'running' } } };
    if (scan.progress.state.kind === 'paused') await this.#ledger.resume(epoch);
    const end = createEnd();
    const replies = new Replies();
    const writer = createLedgerWriter({ keeper, clock, random, onFenced: end.fence });
    const source = this.#world.source(clock);
    const state = stateFrom({ ...SETTINGS, breaker: 20 }, epoch, resumed, clock.monotonicMs());
    const loop = createLoop({
      runId: 'r',
      state,
      clock,
      replies,
      indexed: source.indexed,
      onFailure: end.fail,
      perform: (tell) =>
        createPerformer({
          epoch,
          ledger: this.#ledger,
          writer,
          replies,
          tell,
          form: 'batch',
          clock,
          log: silentLog,
          events: { emit: (event) => void this.events.push(event), close: async () => undefined },
          source,
          onFailure: end.fail,
          exportResults: async () => undefined,
          onStop: (outcome) => end.come({ kind: outcome }),
          recorder: createRecorder({
            log: { epoch, append: (frames) => this.#world.append(this.process, epoch, frames), close: async () => undefined },
            ledger: this.#ledger,
            writer,
            onRecorded: (recordings, verdicts) => tell({ kind: 'recorded', recordings, verdicts }),
            onFailure: end.fail,
          }),
        }),
    });
    keeper.lost.then(end.fence).catch(end.fail);
    this.#stop.signal.addEventListener('abort', () => end.come({ kind: 'interrupted' }));
    this.loop = loop;
    loop.start();
    try {
      return await end.promise;
    } finally {
      loop.stop(new Error('ended'));
      this.loop = null;
    }
  }

  async #leave(keeper: Keeper, end: End): Promise<void> {
    if (end.kind === 'fenced') keeper.stop();
    else await Promise.race([keeper.resign(), this.process.clock.sleep(3_000)]).catch(() => undefined);
    this.process.kill();
    this.isOver = true;
    this.#world.onCoordinatorEnded(this, end);
  }
}

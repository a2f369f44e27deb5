import type { Random } from '../../runtime/base/random.ts';
import type { ItemRef } from '../../runtime/model/row.ts';
import type { Outbox, WaitForDiskSpace } from '../../runtime/worker/outbox/contract.ts';
import { storeFailed } from '../../runtime/worker/outbox/failure.ts';
import { openStore } from '../../runtime/worker/outbox/open-store.ts';
import { OutboxChecker } from './outbox-checker.ts';
import { RUN_ID } from './sim-disk.ts';
import { SimFiles } from './sim-files.ts';
import { SimMount } from './sim-mount.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const DIR = '/store';
const ROOM_LOOK_MS = 500;
/** So low that a few outcomes fill a file, and a few that stay have what is open copied. */
const LIMITS = { fileBytes: 2 ** 20, fileOutcomes: 4, spareBytes: 2 ** 21, spareOutcomes: 4 };
const FAULTS = {
  isSlow: 'worker-write-slow',
  isSyncFailed: 'worker-sync-failed',
  isCut: 'worker-power-cut',
  isLost: 'worker-power-lost',
} as const;

/** The disk of a worker's machine, with the real store on it. It outlives every process of the worker. */
export class SimOutbox {
  fullUntilMs = 0;
  readonly checker: OutboxChecker;
  readonly #world: World;
  readonly #worker: string;
  readonly #random: Random;
  readonly #files = new SimFiles();

  constructor(world: World, worker: string) {
    this.#world = world;
    this.#worker = worker;
    this.#random = world.stream(`outbox of ${worker}`);
    this.checker = new OutboxChecker(world.checking, worker, this.#files, DIR);
  }

  async open(process: SimProcess, waitForDiskSpace: WaitForDiskSpace, onForgotten: (refs: readonly ItemRef[]) => void): Promise<Outbox> {
    const { checker } = this;
    const owner = { dir: DIR, workerId: this.#worker, runId: RUN_ID, waitForDiskSpace };
    const isFull = (): boolean => this.#isFull();
    const mount = new SimMount(this.#world, process, {
      files: this.#files,
      watcher: checker,
      faults: FAULTS,
      isFull,
      random: this.#random,
    });
    const store = await openStore(owner, {
      dir: DIR,
      disk: mount.disk(),
      clock: process.clock,
      limits: LIMITS,
      isShort: isFull,
      waitForDiskSpace,
    }).catch((error: unknown) => {
      throw storeFailed(DIR, error);
    });
    checker.onFound(store.found, store.highestEpoch);
    return {
      found: store.found,
      highestEpoch: store.highestEpoch,
      put: async (outcomes) => {
        const { askedEpoch } = checker;
        // What a dying process has written may be found.
        for (const outcome of outcomes) this.#world.onOutcome(outcome);
        await store.put(outcomes);
        checker.onStored(outcomes, askedEpoch);
      },
      forget: (refs) => {
        onForgotten(refs);
        checker.onForgotten(refs);
        return store.forget(refs);
      },
      keepEpoch: async (epoch) => {
        checker.onEpochAsked(epoch);
        await store.keepEpoch(epoch);
        checker.onEpochKept(epoch);
      },
      close: () => store.close(),
    };
  }

  #isFull(): boolean {
    return this.#world.queue.nowMs < this.fullUntilMs;
  }

  async waitForDiskSpace({ clock }: SimProcess, signal: AbortSignal, onShortage: (shortage: string | null) => void): Promise<boolean> {
    const wasFull = this.#isFull();
    if (wasFull) onShortage('no space');
    while (!signal.aborted && this.#isFull()) await clock.sleep(ROOM_LOOK_MS, signal);
    if (wasFull && !this.#isFull()) onShortage(null);
    return wasFull;
  }
}

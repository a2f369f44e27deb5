import { mayStart } from '../../runtime/worker/endpoint/endpoint.ts';
import { invalidItems } from './sim-source.ts';
import type { SimWorker } from './sim-worker.ts';
import type { World } from './world.ts';

const TICK_MS = 1_000;
/** No item's delay is longer: after that it may be claimed. */
const LONGEST_DELAY_MS = 65_000;
/** The drain's own end (worker/machine.ts), its deregistration, and what is between them. */
const AFTER_DRAIN_MS = 20_000;
/** Longer than the breaker may hold an answer back: until the longest execution has ended, and its next one. */
const UNANSWERED_MS = 35_000;
const PER_ITEM_MS = 12_000;

/** What has to happen: after the faults the run ends, nobody is idle while there is work, and a drain keeps its deadline. */
export class Liveness {
  readonly #world: World;
  readonly #limitMs: number;
  /** From here on nothing of what went wrong is left. */
  readonly #stableMs: number;
  readonly #idleMs: number;
  readonly #unansweredMs: number;
  readonly #idleSince = new Map<SimWorker, number>();
  readonly #valid: number;
  readonly #invalid: ReadonlySet<number>;

  constructor(world: World) {
    const { timing, faultsMs, items, executionMs, workers, concurrency } = world.plan;
    const { coordinatorFailureTimeoutMs, heartbeatIntervalMs } = timing;
    this.#world = world;
    this.#stableMs = faultsMs + 5 * coordinatorFailureTimeoutMs + 15_000;
    this.#limitMs = this.#stableMs + 120_000 + (items * (PER_ITEM_MS + executionMs * 4)) / (workers * concurrency);
    this.#unansweredMs = UNANSWERED_MS + 2 * coordinatorFailureTimeoutMs;
    this.#idleMs = 4_000 + 6 * heartbeatIntervalMs;
    this.#invalid = invalidItems(world.plan);
    this.#valid = items - this.#invalid.size;
  }

  begin(): void {
    this.#world.queue.after(TICK_MS, () => this.#tick());
  }

  #tick(): void {
    const { queue, checkers, plan } = this.#world;
    const open = plan.items - checkers.ledger.items.recorded;
    this.#world.hold('end', queue.nowMs < this.#limitMs, `${open} items are open ${queue.nowMs - plan.faultsMs} ms after the last fault`);
    for (const worker of this.#world.workers) this.#checkDrain(worker);
    for (const worker of this.#world.workers) this.#checkAnswered(worker);
    if (queue.nowMs > this.#stableMs) this.#checkIdle();
    queue.after(TICK_MS, () => this.#tick());
  }

  #checkDrain({ drainedMs, process, id }: SimWorker): void {
    if (drainedMs === null || process.lastHeldMs !== undefined) return;
    const takenMs = process.monotonicMs() - drainedMs;
    this.#world.hold('drain', takenMs < this.#world.plan.drainTimeoutMs + AFTER_DRAIN_MS, `${id} drains for ${takenMs} ms`);
  }

  #checkIdle(): void {
    const startable = this.#startable();
    for (const worker of this.#world.workers) {
      const isIdle = startable > 0 && isFree(worker);
      const since = this.#idleSince.get(worker);
      if (!isIdle) this.#idleSince.delete(worker);
      else if (since === undefined) this.#idleSince.set(worker, this.#world.queue.nowMs);
      else
        this.#world.hold(
          'idle',
          this.#world.queue.nowMs - since < this.#idleMs,
          `${worker.id} is idle while ${startable} items could start`,
        );
    }
  }

  /** What a worker has handed over is answered once all is well, long before it would say it again by itself. */
  #checkAnswered({ id, state, process }: SimWorker): void {
    const [oldest] = state?.sent ?? [];
    if (oldest === undefined || oldest.sentAtMs === null) return;
    const waitedMs = Math.min(process.clock.monotonicMs() - oldest.sentAtMs, this.#world.queue.nowMs - this.#world.plan.faultsMs);
    const key = `${oldest.ref.index}/${oldest.ref.attempt}`;
    this.#world.hold('unanswered', waitedMs < this.#unansweredMs, `what ${id} said of ${key} is not answered after ${waitedMs} ms`);
  }

  /** Never handed out, or handed back longer ago than any delay is; a coordinator counts a delay from its own start, by its own clock. */
  #startable(): number {
    const { servingSinceMs, plan, queue, checkers } = this.#world;
    const { items } = checkers.ledger;
    const dueMs = queue.nowMs - LONGEST_DELAY_MS / (1 - plan.clockSpread);
    const known = [...items.all.values()].filter(({ index, lastAttempt }) => lastAttempt > 0 && !this.#invalid.has(index));
    const waiting = known.filter(({ taken, takenMs }) => taken !== null && Math.max(takenMs, servingSinceMs) < dueMs);
    return Math.max(0, this.#valid - known.length) + waiting.length;
  }
}

function isFree({ state, process }: SimWorker): boolean {
  if (state === null) return false;
  const { mode, endpoints, executing, counts } = state;
  const nowMs = process.clock.monotonicMs();
  const isWorking = mode.kind === 'working' && endpoints.some((endpoint) => mayStart(endpoint, nowMs));
  return isWorking && executing.size === 0 && counts.queued === 0;
}

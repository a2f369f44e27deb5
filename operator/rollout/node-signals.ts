import type { Clock } from '../../runtime/base/clock.ts';
import type { Node } from '../kube/kind.ts';
import type { Change } from '../kube/store.ts';
import { type Signal, type SignalRow, signalOf } from '../nodes/signals.ts';

interface Known {
  readonly signal: Signal;
  readonly sinceMs: number;
}

const GONE: Signal = { severity: 'gone', provider: null, deadlineMs: null, reason: 'the node has been deleted' };
/** Pods of a deleted node are collected within minutes; its name may come again after that. */
const GONE_KEPT_MS = 3_600_000;

/** Follows what nodes say of their future. */
export class NodeSignals {
  readonly #rows: readonly SignalRow[];
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(rows: readonly SignalRow[], clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Whether the node's signal has changed. */
  onChange(change: Change<Node>): boolean {
    const { name } = change.object.metadata;
    if (change.kind === 'deleted') return this.#keep(name, GONE);
    const before = this.#known.get(name);
    if (before !== undefined) {
      const kept = signalOf(change.object, this.#rows, before.sinceMs);
      // A lead time counts from the signal that has it: a node may have been cordoned for hours before it is announced to go.
      if (kept?.severity === before.signal.severity) return this.#keep(name, kept, before.sinceMs);
    }
    const nowMs = this.#clock.wallMs();
    return this.#keep(name, signalOf(change.object, this.#rows, nowMs), nowMs);
  }

  now(): ReadonlyMap<string, Signal> {
    return new Map([...this.#known].map(([name, { signal }]) => [name, signal]));
  }

  #keep(name: string, signal: Signal | null, sinceMs: number = this.#clock.wallMs()): boolean {
    const before = this.#known.get(name)?.signal ?? null;
    if (signal === null) this.#known.delete(name);
    else this.#known.set(name, { signal, sinceMs });
    this.#forgetOld();
    return JSON.stringify(before) !== JSON.stringify(signal);
  }

  #forgetOld(): void {
    const oldestMs = this.#clock.wallMs() - GONE_KEPT_MS;
    for (const [name, { signal, sinceMs }] of this.#known) if (signal === GONE && sinceMs < oldestMs) this.#known.delete(name);
  }
}

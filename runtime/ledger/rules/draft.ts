import { assert, mustGet } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { MAX_U32 } from '../../base/u32.ts';
import { type Attempt, type Epoch, type ItemIndex, MAX_INDEX, type Row } from '../../model/row.ts';
import type { RunState } from '../../model/run.ts';
import { NO_TALLY, TallySum } from '../../model/tally.ts';
import { hasBit, pageOf } from '../bitmap.ts';
import { type Fenced, type Found, type Gone, NO_FAULTS } from '../contract.ts';
import type { Bit, Decision, GrantedRange, HandedOut, Head, ItemState, Rows, Writes } from '../rows.ts';

/**
 * A decision in the making: reads see the store's rows with this decision's own changes on top (one request may name an item
 * twice), and nothing is written before the whole request has been judged. The counters are kept here and nowhere else, so that
 * handed out = running + handed back + done + failed holds by construction (L6).
 */
export class Draft {
  readonly rows: Rows;
  readonly epoch: Epoch;
  readonly before: Head;
  readonly #granted: GrantedRange[] = [];
  readonly #items = new Map<ItemIndex, HandedOut>();
  readonly #counts: Record<'running' | 'handed-back' | 'done' | 'failed', number>;
  #cursor: ItemIndex;
  #highestAttempt: Attempt;
  #redone: number;
  #tally: TallySum | null = null;
  readonly #cleared = new Map<ItemIndex, Bit>();

  constructor(rows: Rows, head: Head) {
    this.rows = rows;
    this.epoch = head.epoch;
    this.before = head;
    this.#cursor = head.cursor;
    this.#highestAttempt = head.highestAttempt;
    this.#redone = head.redone;
    this.#counts = { running: head.running, 'handed-back': head.handedBack, done: head.done, failed: head.failed };
  }

  get cursor(): ItemIndex {
    return this.#cursor;
  }

  item(index: ItemIndex): ItemState {
    assert(Number.isInteger(index) && index >= 0 && index <= MAX_INDEX, 'an item index outside 32 bits');
    if (index >= this.#cursor) return { state: 'fresh' };
    return this.#items.get(index) ?? this.#grantedItem(index) ?? storedItem(this.rows, index);
  }

  #grantedItem(index: ItemIndex): HandedOut | null {
    if (index < this.before.cursor) return null;
    return mustGet(
      this.#granted.find(({ from, count }) => index >= from && index < from + count),
      'the range of an item granted just now',
    ).item;
  }

  found(index: ItemIndex): Found {
    return { index, ...this.item(index) };
  }

  /** Hands out the next fresh items, all in this row: one entry, however many they are. */
  grantFresh(count: number, row: Row): void {
    if (count === 0) return;
    const item = { state: 'running', row, second: null, lastAttempt: row.attempt, faults: NO_FAULTS } as const;
    this.#granted.push({ from: this.#cursor, count, item });
    this.#cursor += count;
    this.#counts.running += count;
    this.#highestAttempt = Math.max(this.#highestAttempt, row.attempt);
  }

  put(index: ItemIndex, next: HandedOut): void {
    this.replace(index, this.item(index), next);
  }

  /** `before`: what `item` says. */
  replace(index: ItemIndex, before: ItemState, next: HandedOut): void {
    assert(before.state !== 'fresh', 'fresh items are handed out at the cursor, and nowhere else');
    if (before.state === 'done' || before.state === 'failed') this.#cleared.set(index, before.state);
    if (next.state === 'running' || next.state === 'handed-back') this.#highestAttempt = Math.max(this.#highestAttempt, next.lastAttempt);
    this.#counts[before.state] -= 1;
    this.#counts[next.state] += 1;
    this.#items.set(index, next);
  }

  /** An item runs again that had begun before. */
  countRedone(): void {
    this.#redone = Math.min(this.#redone + 1, MAX_U32);
  }

  /** An outcome is accepted under this epoch (L22, L39). */
  accept(index: ItemIndex, attempt: Attempt): void {
    this.#tally ??= new TallySum(this.rows.tally(this.epoch) ?? NO_TALLY);
    this.#tally.add(index, attempt);
  }

  decide<T>(reply: T): Decision<T> {
    if (this.#items.size === 0 && this.#granted.length === 0) return { reply, writes: null };
    const head: Head = {
      ...this.before,
      cursor: this.#cursor,
      running: this.#counts.running,
      handedBack: this.#counts['handed-back'],
      done: this.#counts.done,
      failed: this.#counts.failed,
      highestAttempt: this.#highestAttempt,
      redone: this.#redone,
    };
    const writes: Writes = {
      head,
      ...(this.#granted.length === 0 ? {} : { granted: this.#granted }),
      items: this.#items,
      ...(this.#tally === null ? {} : { tallies: [{ epoch: this.epoch, ...this.#tally.sum() }] }),
      ...(this.#cleared.size === 0 ? {} : { cleared: this.#cleared }),
    };
    return { reply, writes };
  }
}

function storedItem(rows: Rows, index: ItemIndex): ItemState {
  const inFlight = rows.inFlight(index);
  if (inFlight !== null) return inFlight;
  const bit = recordedAs(rows, index);
  if (bit !== null) return { state: bit };
  throw lostItem(index);
}

export function lostItem(index: ItemIndex): RolloutError {
  return new RolloutError(
    'LEDGER_CORRUPT',
    `The ledger lost track of item ${index}: it was handed out, and is neither in flight nor recorded.`,
  );
}

/** Null while the item is not terminal. */
export function recordedAs(rows: Rows, index: ItemIndex): Bit | null {
  for (const bit of ['done', 'failed'] as const) {
    const page = rows.page(bit, pageOf(index));
    if (page !== null && hasBit(page, index)) return bit;
  }
  return null;
}

/** Every verb that names an epoch goes through here: the check is in the verb's own transaction (L5). */
export function underEpoch<T>(rows: Rows, epoch: Epoch, decide: (head: Head) => Decision<T>): Decision<T | Fenced> {
  const head = rows.head();
  if (head === null || head.epoch < epoch) throw storeBehind(epoch, head?.epoch ?? null);
  if (head.epoch > epoch) return { reply: { kind: 'fenced', epoch: head.epoch }, writes: null };
  return decide(head);
}

/** A coordinator won this epoch, and the store does not know it any more: it was restored, or lost writes, while in use. */
export function storeBehind(epoch: Epoch, kept: Epoch | null): RolloutError {
  const there = kept === null ? 'has no epoch at all' : `is back at epoch ${kept}`;
  return new RolloutError(
    'LEDGER_BEHIND',
    `The ledger ${there}, but this coordinator holds epoch ${epoch}: the store was replaced or lost writes while in use.`,
  );
}

/** `gone` after `finish`; for claims also while paused (L16). */
export function goneFor(verb: 'claim' | 'write', state: RunState): Gone | null {
  if (state.kind === 'completed') return { kind: 'gone', state };
  return verb === 'claim' && state.kind === 'paused' ? { kind: 'gone', state } : null;
}

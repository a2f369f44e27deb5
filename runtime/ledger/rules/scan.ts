import { RolloutError } from '../../base/errors.ts';
import type { Epoch, ItemIndex } from '../../model/row.ts';
import { countOf } from '../../model/tally.ts';
import { countBits, hasBit, lastBit, overlaps, PAGE_ITEMS, pageOf } from '../bitmap.ts';
import { type Fenced, type HandedBackItem, ITEM_BIT, type RunningItem, type Scan } from '../contract.ts';
import type { AllRows, Bit, Decision, HandedBack, Head, InFlight, Running } from '../rows.ts';
import { rowsOf } from './attempts.ts';
import { recordedAs, underEpoch } from './draft.ts';
import { progressOf } from './run.ts';

/** Reads all that is in flight, and proves that every item handed out is in exactly one place (L6). */
export function scan(rows: AllRows, epoch: Epoch): Decision<Scan | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<Scan> => {
    const inFlight = [...rows.everyInFlight()];
    requireWhole(rows, head, inFlight);
    const workers = [...rows.everyWorker()].flatMap(({ worker, row }) => (row.info === null ? [] : [{ worker, info: row.info }]));
    const progress = progressOf(head, rows.state());
    const reply: Scan = {
      kind: 'scanned',
      progress,
      place: rows.place(),
      running: inFlight.flatMap(({ index, item }) => (item.state === 'running' ? [runningOf(index, item)] : [])),
      handedBack: inFlight.flatMap(({ index, item }) => (item.state === 'handed-back' ? [handedBackOf(index, item)] : [])),
      workers,
    };
    return { reply, writes: null };
  });
}

function runningOf(index: ItemIndex, { row, second, lastAttempt, faults }: Running): RunningItem {
  return { index, row, second, lastAttempt, faults };
}

function handedBackOf(index: ItemIndex, { row, lastAttempt, faults }: HandedBack): HandedBackItem {
  return { index, row, lastAttempt, faults };
}

type Listed = readonly { readonly index: ItemIndex; readonly item: InFlight }[];

function requireWhole(rows: AllRows, head: Head, inFlight: Listed): void {
  const running = inFlight.filter(({ item }) => item.state === 'running').length;
  requireEqual('running', running, head.running);
  requireEqual('handed back', inFlight.length - running, head.handedBack);
  requireEqual('done', countPages(rows, 'done', head.cursor), head.done);
  requireEqual('failed', countPages(rows, 'failed', head.cursor), head.failed);
  requireEqual('tallied as accepted', countOf(rows.everyTally()), head.done + head.failed);
  requireEqual('handed out', head.running + head.handedBack + head.done + head.failed, head.cursor);

  for (const { page, bytes } of rows.everyPage('failed')) {
    const done = rows.page('done', page);
    if (done !== null && overlaps(done, bytes)) throw corrupt('an item is both done and failed');
  }
  inFlight.forEach(({ index }, at) => {
    if (inFlight[at + 1]?.index === index) throw corrupt(`item ${index} is in flight twice`);
  });
  for (const { index, item } of inFlight) {
    if (index >= head.cursor) throw corrupt(`item ${index} is in flight and was never handed out`);
    if (recordedAs(rows, index) !== null) throw corrupt(`item ${index} is in flight and recorded`);
    requireRows(index, item, head);
  }
}

/** What claim, reassign, second attempt and hand-back leave behind (L9, L13). */
function requireRows(index: ItemIndex, item: InFlight, { epoch, highestAttempt }: Head): void {
  if (item.lastAttempt > highestAttempt)
    throw corrupt(`item ${index} was given attempt ${item.lastAttempt}, and the highest of the run is ${highestAttempt}`);
  for (const row of item.state === 'running' ? rowsOf(item) : [item.row]) {
    if (row.attempt < 1 || row.attempt > item.lastAttempt) {
      throw corrupt(`item ${index} has attempt ${row.attempt}, and the last one given is ${item.lastAttempt}`);
    }
    if (row.claimEpoch > epoch) throw corrupt(`item ${index} has a row of epoch ${row.claimEpoch}, which is yet to come`);
  }
  if (item.state !== 'running' || item.second === null) return;
  if (item.second.worker === item.row.worker) throw corrupt(`item ${index} runs twice on the worker ${item.row.worker}`);
  if (item.second.attempt === item.row.attempt) throw corrupt(`item ${index} runs twice as attempt ${item.row.attempt}`);
}

function countPages(rows: AllRows, bit: Bit, cursor: ItemIndex): number {
  let count = 0;
  for (const { page, bytes } of rows.everyPage(bit)) {
    if (lastBit(bytes, page) >= cursor) throw corrupt(`an item behind the cursor ${cursor} is ${bit}`);
    count += countBits(bytes);
  }
  return count;
}

function requireEqual(what: string, counted: number, kept: number): void {
  if (counted !== kept) throw corrupt(`${counted} items are ${what}, the counter says ${kept}`);
}

function corrupt(what: string): RolloutError {
  return new RolloutError('LEDGER_CORRUPT', `The ledger contradicts itself: ${what}.`);
}

/** One byte per item, see ITEM_BIT. */
export function bitsOf(rows: Pick<AllRows, 'page'>, from: ItemIndex, count: number): Uint8Array {
  const bits = new Uint8Array(count);
  const end = from + count;
  for (let at = from; at < end; ) {
    const page = pageOf(at);
    const stop = Math.min(end, (page + 1) * PAGE_ITEMS);
    const done = rows.page('done', page);
    const failed = rows.page('failed', page);
    for (; at < stop; at += 1) {
      if (done !== null && hasBit(done, at)) bits[at - from] = ITEM_BIT.done;
      else if (failed !== null && hasBit(failed, at)) bits[at - from] = ITEM_BIT.failed;
    }
  }
  return bits;
}

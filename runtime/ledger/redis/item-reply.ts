import { assert } from '../../base/assert.ts';
import type { Row } from '../../model/row.ts';
import type { Found } from '../contract.ts';
import type { NameBook } from './names.ts';

/**
 * What stands somewhere, as lua/lib/draft.lua says it: index, state, and of what is in flight its rows, last attempt and faults. Of an item
 * that runs as it was granted it ends with the first row.
 */
export type FoundReply = readonly number[];

const FRESH = 0;
const RUNNING = 1;
const HANDED_BACK = 2;
const DONE = 3;
const NONE = -1;

export function foundOf(reply: FoundReply, names: NameBook): Found {
  const [
    index = 0,
    state = 0,
    ,
    attempt = 0,
    ,
    ,
    ,
    ,
    lastAttempt = attempt,
    failures = 0,
    delayMs = 0,
    suspicions = 0,
    crashes = 0,
    restores = 0,
  ] = reply;
  if (state === FRESH) return { index, state: 'fresh' };
  if (state !== RUNNING && state !== HANDED_BACK) return { index, state: state === DONE ? 'done' : 'failed' };
  const faults = { failures, delayMs, suspicions, crashes, restores };
  const row = rowAt(reply, 2, names);
  assert(row !== null, 'an item in flight has a row');
  if (state === HANDED_BACK) return { index, state: 'handed-back', row, lastAttempt, faults };
  return { index, state: 'running', row, second: rowAt(reply, 5, names), lastAttempt, faults };
}

/** Worker number, attempt and claim epoch; null where there is none. */
export function rowAt(reply: readonly number[], at: number, names: NameBook): Row | null {
  const [workerNumber = NONE, attempt = 0, claimEpoch = 0] = reply.slice(at, at + 3);
  return workerNumber === NONE ? null : { worker: names.nameOf(workerNumber), attempt, claimEpoch };
}

import { isSameRow, type WorkerId } from '../model/row.ts';
import type { ItemReturn, Outcome } from '../model/session.ts';
import { isSuspicious, releaseSuspects, sendBackSuspects, suspect } from './breaker.ts';
import { pauseRun } from './ending.ts';
import { command, rowOf } from './mirror.ts';
import { acknowledge, handBack, record } from './rows.ts';
import type { Item, State } from './state.ts';

/**
 * Judges an outcome by the mirror (L19): it goes to the log only if exactly this row may settle and nothing else of the item is
 * on its way. What the mirror does not know is asked of the ledger (L29); what must wait is judged again when the lock opens.
 */
export function judge(state: State, worker: WorkerId, outcome: Outcome): void {
  const item = state.items.get(outcome.index);
  if (item === undefined || !isSameRow(item.row, rowOf(worker, outcome))) {
    return command(state, { kind: 'look', worker, outcomes: [outcome] });
  }
  if (item.lock !== null) return wait(item, worker, outcome);
  if (isSuspicious(outcome)) return suspect(state, worker, item, outcome);
  if (outcome.httpStatus !== 0) releaseSuspects(state);
  if (outcome.isRetryable) return judgeFailure(state, worker, item, outcome);
  record(state, worker, item, outcome);
}

/** The same outcome sent twice waits once; while the first is being recorded, or held by the breaker, there is nothing to wait for. */
function wait(item: Item, worker: WorkerId, outcome: Outcome): void {
  if (item.lock === 'recording' || item.lock === 'suspect') return;
  const isWaiting = item.waiting.some((other) => other.worker === worker && other.outcome.attempt === outcome.attempt);
  if (!isWaiting) item.waiting.push({ worker, outcome });
}

/**
 * A failure that counts: the claim ends and the item waits, or, with no attempts left, the failure is the record. One that arrives
 * for a row already handed back was counted then, or was lost with its worker: it is neither counted nor recorded now.
 */
function judgeFailure(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  if (!item.isRunning) acknowledge(state, worker, outcome);
  else if (item.faults.failures + 1 < state.settings.maxAttempts) handBack(state, item, 'failed', outcome.delayMs);
  else record(state, worker, item, outcome);
}

/** Judges again what waited for the item's lock. */
export function rejudge(state: State, item: Item): void {
  if (item.lock !== null) return;
  for (const { worker, outcome } of item.waiting.splice(0)) judge(state, worker, outcome);
}

/** An item that a worker returns without an outcome. */
export function onReturned(state: State, nowMs: number, worker: WorkerId, returned: ItemReturn): void {
  const item = state.items.get(returned.index);
  if (returned.reason === 'quota') {
    pauseRun(state, nowMs, 'the backend says that the account has no quota left (insufficient_quota)');
    sendBackSuspects(state);
  }
  const isRunning = item?.isRunning === true && isSameRow(item.row, rowOf(worker, returned));
  if (!isRunning || item === undefined) return acknowledge(state, worker, returned);
  if (item.lock === null) handBack(state, item, returned.reason, returned.delayMs);
  else if (item.lock === 'returning') item.isGivenBack = true;
  else acknowledge(state, worker, returned);
}

import { assertNever } from '../base/assert.ts';
import { errorLine, type Response, resultLine } from '../format/output-line.ts';
import { oneLine } from '../model/detail.ts';
import type { Item } from '../model/item.ts';
import { plainRef } from '../model/row.ts';
import type { Assignment, Outcome } from '../model/session.ts';
import type { Ending } from './commands.ts';
import { type Failure, type Judgement, QUOTA_CODE, TIMEOUT_CODE } from './endpoint/retry.ts';

/** An item as the worker has read it: its content id names it in every output. */
export interface ReadItem {
  readonly assignment: Assignment;
  readonly item: Item;
  readonly id: string;
}

/**
 * An outcome travels in one message of at most 16 MiB, with what is said beside it. An answer within its own limit can still make a
 * longer line: bytes that are no UTF-8 grow as text, and a custom_id may have megabytes. Such a line would never be taken.
 */
export const MAX_OUTCOME_BYTES: number = 15 * 1024 * 1024;

/** Turns a judgement into what the worker's machine takes in; the outcome's bytes are the finished output line. */
export function endingOf(read: ReadItem, judgement: Judgement): Ending {
  switch (judgement.kind) {
    case 'result':
      return { kind: 'outcome', outcome: resultOutcome(read, judgement.response) };
    case 'error':
      return errorEnding(read, judgement);
    case 'throttled': {
      const { error, delayMs, quietMs } = judgement;
      const outcome = errorOutcome(read, error, { isRetryable: true, isProbe: false, delayMs });
      return { kind: 'throttled', outcome, quietMs, detail: oneLine(error.message) };
    }
    case 'unavailable':
      return { kind: 'unavailable', ref: plainRef(read.assignment), detail: oneLine(judgement.detail) };
    default:
      return assertNever(judgement);
  }
}

/** Most outcomes are results: their members are written out, since an object that is spread costs as much as all the others together. */
function resultOutcome(read: ReadItem, response: Response): Outcome {
  const { index, attempt, claimEpoch } = read.assignment;
  const line = resultLine({ item: read.item, id: read.id, response });
  if (line.byteLength > MAX_OUTCOME_BYTES) return errorOutcome(read, TOO_LARGE, FINAL);
  const { isRetryable, isProbe, delayMs } = FINAL;
  const httpStatus = response.statusCode;
  return { index, attempt, claimEpoch, kind: 'result', line, httpStatus, code: '', isRetryable, isProbe, delayMs };
}

/** A line that this worker cannot read, though the coordinator could: final, since no other attempt reads it better. */
export function unreadable(assignment: Assignment, id: string, customId: string | null, code: string, message: string): Ending {
  const line = errorLine({ id, customId, code, message, line: assignment.lineNumber, response: null });
  return { kind: 'outcome', outcome: { ...plainRef(assignment), kind: 'error', line, httpStatus: 0, code, ...FINAL } };
}

const FINAL: Pick<Outcome, 'isRetryable' | 'isProbe' | 'delayMs'> = { isRetryable: false, isProbe: false, delayMs: 0 };

const TOO_LARGE: Failure = {
  code: 'response_too_large',
  message: `the output line would be longer than ${MAX_OUTCOME_BYTES} bytes: ask for less, or use a shorter custom_id`,
  response: null,
};

function errorEnding(read: ReadItem, judgement: Extract<Judgement, { kind: 'error' }>): Ending {
  const { blame, delayMs, code, message } = judgement;
  const isTimeout = code === TIMEOUT_CODE;
  const detail = oneLine(message);
  switch (blame) {
    case 'item':
    case 'request':
      return { kind: 'outcome', outcome: errorOutcome(read, judgement, FINAL) };
    case 'unknown': {
      const outcome = errorOutcome(read, judgement, { isRetryable: true, isProbe: false, delayMs });
      return { kind: 'failure', outcome, failure: { isRefusal: false, isCertain: false, isTimeout, detail } };
    }
    case 'endpoint': {
      const isCertain = code === QUOTA_CODE;
      const outcome = errorOutcome(read, judgement, { ...FINAL, delayMs });
      return { kind: 'failure', outcome, failure: { isRefusal: true, isCertain, isTimeout, detail } };
    }
    default:
      return assertNever(blame);
  }
}

function errorOutcome(
  { assignment, item, id }: ReadItem,
  { code, message, response }: Failure,
  fate: Pick<Outcome, 'isRetryable' | 'isProbe' | 'delayMs'>,
): Outcome {
  const record = { id, customId: item.customId, code, message, line: assignment.lineNumber };
  const whole = errorLine({ ...record, response });
  const line = whole.byteLength > MAX_OUTCOME_BYTES ? errorLine({ ...record, response: null }) : whole;
  return { ...plainRef(assignment), kind: 'error', line, httpStatus: response?.statusCode ?? 0, code, ...fate };
}

import { never } from '../base/assert.ts';
import type { Item } from '../model/item.ts';
import { plainRef } from '../model/row.ts';
import type { Assignment, Outcome } from '../model/session.ts';
import { errorLine, resultLine } from '../results/output-line.ts';
import type { Ending } from './commands.ts';
import { type Judgement, QUOTA_CODE } from './retry.ts';

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

/** Turns a judgement into what goes to the coordinator; the outcome's bytes are the finished output line. */
export function endingOf(read: ReadItem, judgement: Judgement): Ending {
  const ref = plainRef(read.assignment);
  switch (judgement.kind) {
    case 'result': {
      const line = resultLine({ item: read.item, id: read.id, ...judgement.response });
      if (line.byteLength > MAX_OUTCOME_BYTES) return errorEnding(read, TOO_LARGE);
      return outcome({ ...ref, kind: 'result', line, httpStatus: judgement.response.statusCode, code: '', isRetryable: false, delayMs: 0 });
    }
    case 'error':
      if (judgement.code === QUOTA_CODE) return { kind: 'return', item: { ...ref, reason: 'quota', delayMs: 0 }, quietMs: 0 };
      return errorEnding(read, judgement);
    case 'throttled':
      return { kind: 'return', item: { ...ref, reason: 'throttled', delayMs: judgement.delayMs }, quietMs: judgement.quietMs };
    case 'unavailable':
      return { kind: 'return', item: { ...ref, reason: 'unavailable', delayMs: 0 }, quietMs: 0 };
    default:
      return never(judgement);
  }
}

/** A line that this worker cannot read, though the coordinator could: final, since no other attempt reads it better. */
export function unreadable(assignment: Assignment, id: string, customId: string | null, code: string, message: string): Ending {
  const line = errorLine({ id, customId, code, message, line: assignment.lineNumber, response: null });
  return outcome({ ...plainRef(assignment), kind: 'error', line, httpStatus: 0, code, isRetryable: false, delayMs: 0 });
}

type ErrorJudgement = Extract<Judgement, { kind: 'error' }>;

const TOO_LARGE: ErrorJudgement = {
  kind: 'error',
  code: 'response_too_large',
  message: `the output line would be longer than ${MAX_OUTCOME_BYTES} bytes: ask for less, or use a shorter custom_id`,
  response: null,
  blame: 'item',
  delayMs: 0,
};

function errorEnding({ assignment, item, id }: ReadItem, judgement: ErrorJudgement): Ending {
  const { code, message, response, blame, delayMs } = judgement;
  const isRetryable = blame === 'unknown';
  const record = { id, customId: item.customId, code, message, line: assignment.lineNumber };
  const whole = errorLine({ ...record, response });
  const line = whole.byteLength > MAX_OUTCOME_BYTES ? errorLine({ ...record, response: null }) : whole;
  return outcome({ ...plainRef(assignment), kind: 'error', line, httpStatus: response?.statusCode ?? 0, code, isRetryable, delayMs });
}

function outcome(value: Outcome): Ending {
  return { kind: 'outcome', outcome: value };
}

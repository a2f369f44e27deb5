import { never } from '../base/assert.ts';
import type { Item } from '../model/item.ts';
import { plainRef } from '../model/row.ts';
import type { Assignment, Outcome } from '../model/session.ts';
import { errorLine, resultLine } from '../results/output-line.ts';
import type { Ending } from './commands.ts';
import type { Judgement } from './retry.ts';

/** An item as the worker has read it: its content id names it in every output. */
export interface ReadItem {
  readonly assignment: Assignment;
  readonly item: Item;
  readonly id: string;
}

/** Turns a judgement into what goes to the coordinator; the outcome's bytes are the finished output line. */
export function endingOf(read: ReadItem, judgement: Judgement): Ending {
  const ref = plainRef(read.assignment);
  switch (judgement.kind) {
    case 'result': {
      const line = resultLine({ item: read.item, id: read.id, ...judgement.response });
      return outcome({ ...ref, kind: 'result', line, httpStatus: judgement.response.statusCode, code: '', isRetryable: false, delayMs: 0 });
    }
    case 'error':
      return errorEnding(read, judgement);
    case 'throttled':
      return { kind: 'return', item: { ...ref, reason: 'throttled', delayMs: judgement.delayMs }, quietMs: judgement.quietMs };
    case 'quota':
      return { kind: 'return', item: { ...ref, reason: 'quota', delayMs: 0 }, quietMs: 0 };
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

function errorEnding({ assignment, item, id }: ReadItem, judgement: Extract<Judgement, { kind: 'error' }>): Ending {
  const { code, message, response, isRetryable, delayMs } = judgement;
  const line = errorLine({ id, customId: item.customId, code, message, line: assignment.lineNumber, response });
  return outcome({ ...plainRef(assignment), kind: 'error', line, httpStatus: response?.statusCode ?? 0, code, isRetryable, delayMs });
}

function outcome(value: Outcome): Ending {
  return { kind: 'outcome', outcome: value };
}

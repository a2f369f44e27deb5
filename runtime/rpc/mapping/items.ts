import type { MessageInitShape } from '@bufbuild/protobuf';
import { plainRef } from '../../model/row.ts';
import type { Assignment, ItemReturn, Outcome } from '../../model/session.ts';
import type {
  Assignments,
  AssignmentsSchema,
  Failure,
  FailureSchema,
  Outcomes,
  OutcomesSchema,
  PollRequest,
  PollRequestSchema,
} from '../gen/rollout/v1/worker_pb.ts';
import { checkColumn, checkedRefs, columnOf, linesFromWire, linesToWire, refsFromWire, refsToWire, valueAt } from './columns.ts';
import { ITEM_FORMS, RETURN_REASONS } from './enums.ts';
import type { FieldCheck } from './field-check.ts';
import { wholeMs } from './whole-ms.ts';

/** What is said of many items in one message. */

/** Three digits, as HTTP has them (RFC 9110, 15). */
const MAX_HTTP_STATUS = 999;

/** All are of one form, as the lines of a run are. */
export function assignmentsToWire(assignments: readonly Assignment[]): MessageInitShape<typeof AssignmentsSchema> | undefined {
  const [first] = assignments;
  if (first === undefined) return undefined;
  return {
    refs: refsToWire(assignments),
    lines: linesToWire(assignments.map(({ line }) => line)),
    lineNumbers: assignments.map(({ lineNumber }) => lineNumber),
    form: ITEM_FORMS.toWire[first.form],
  };
}

export function assignmentsFromWire(check: FieldCheck, wire: Assignments | undefined): readonly Assignment[] {
  if (wire === undefined) return [];
  const refs = refsFromWire(check, 'assignments', wire.refs);
  const lines = linesFromWire(check, wire.lines, refs.length);
  const form = check.word('form', wire.form, ITEM_FORMS, 'batch');
  const { lineNumbers } = wire;
  check.that(lineNumbers.length === refs.length, 'line_numbers', 'must have one entry for each item');
  check.that(!lineNumbers.includes(0), 'line_number', 'counts from 1');
  if (check.isWrong) return [];
  return refs.map(({ index, attempt, claimEpoch }, at) => ({
    index,
    attempt,
    claimEpoch,
    line: lines[at] as Uint8Array,
    lineNumber: lineNumbers[at] as number,
    form,
  }));
}

export function outcomesToWire(outcomes: readonly Outcome[]): MessageInitShape<typeof OutcomesSchema> | undefined {
  if (outcomes.length === 0) return undefined;
  return {
    refs: refsToWire(outcomes),
    lines: linesToWire(outcomes.map(({ line }) => line)),
    httpStatuses: columnOf(outcomes, ({ httpStatus }) => httpStatus),
    failures: outcomes.flatMap((outcome, position) => (outcome.kind === 'error' ? [failureToWire(outcome, position)] : [])),
  };
}

export function outcomesFromWire(check: FieldCheck, wire: Outcomes | undefined): readonly Outcome[] {
  if (wire === undefined) return [];
  const { indexes, attempts, claimEpochs } = checkedRefs(check, 'outcomes', wire.refs);
  const lines = linesFromWire(check, wire.lines, indexes.length);
  checkColumn(check, 'http_statuses', wire.httpStatuses, indexes.length);
  check.that(!wire.httpStatuses.some((status) => status > MAX_HTTP_STATUS), 'http_status', `must be at most ${MAX_HTTP_STATUS}`);
  if (check.isWrong) return [];
  // Written out, since nearly every outcome is a result: a spread, or a reference for each, costs more than the outcome.
  const outcomes = indexes.map(
    (index, at): Outcome => ({
      index,
      attempt: valueAt(attempts, at),
      claimEpoch: valueAt(claimEpochs, at),
      line: lines[at] as Uint8Array,
      httpStatus: valueAt(wire.httpStatuses, at),
      kind: 'result',
      code: '',
      isRetryable: false,
      isProbe: false,
      delayMs: 0,
    }),
  );
  let least = 0;
  for (const failure of wire.failures) {
    const { position } = failure;
    const outcome = outcomes[position];
    check.that(outcome !== undefined && position >= least, 'position', 'must be that of an outcome, and above the one before it');
    if (outcome !== undefined) outcomes[position] = { ...outcome, ...failureFromWire(check, failure) };
    least = position + 1;
  }
  return outcomes;
}

type Fate = Pick<Outcome, 'kind' | 'code' | 'isRetryable' | 'isProbe' | 'delayMs'>;

function failureToWire({ code, isRetryable, isProbe, delayMs }: Outcome, position: number): MessageInitShape<typeof FailureSchema> {
  return { position, code, retryable: isRetryable, probe: isProbe, delayMs: wholeMs(delayMs) };
}

function failureFromWire(check: FieldCheck, { code, retryable, probe, delayMs }: Failure): Fate {
  return { kind: 'error', code: check.code(code), isRetryable: retryable, isProbe: probe, delayMs };
}

export function returnToWire(item: ItemReturn): NonNullable<MessageInitShape<typeof PollRequestSchema>['returns']>[number] {
  return { ref: plainRef(item), reason: RETURN_REASONS.toWire[item.reason], delayMs: wholeMs(item.delayMs), detail: item.detail };
}

export function returnFromWire(check: FieldCheck, wire: PollRequest['returns'][number]): ItemReturn {
  return {
    ...check.ref(wire.ref),
    reason: check.word('reason', wire.reason, RETURN_REASONS, 'drained'),
    delayMs: wire.delayMs,
    detail: check.detail(wire.detail, 'detail'),
  };
}

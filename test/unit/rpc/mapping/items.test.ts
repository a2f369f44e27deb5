import { create, type MessageInitShape } from '@bufbuild/protobuf';
import test from 'ava';
import { AssignmentsSchema, ItemForm, OutcomesSchema } from '../../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { assignmentsFromWire, outcomesFromWire, outcomesToWire } from '../../../../runtime/rpc/mapping/items.ts';
import { refusedField } from '../../../support/refused-field.ts';

/** mapping.test.ts sends whole messages through the wire; here is what must not get through. */

const REFS = { indexes: [1, 2], attempts: [1], claimEpochs: [0] };
const LINES = { lengths: [2, 3], bytes: new TextEncoder().encode('{}"a"') };
type Change<Message> = Exclude<Message, { $typeName: string }>;
type OutcomesInit = Change<MessageInitShape<typeof OutcomesSchema>>;
type AssignmentsInit = Change<MessageInitShape<typeof AssignmentsSchema>>;

const OUTCOMES: OutcomesInit = { refs: REFS, lines: LINES, httpStatuses: [200], failures: [] };
const ASSIGNMENTS: AssignmentsInit = { refs: REFS, lines: LINES, lineNumbers: [1, 2], form: ItemForm.BATCH };

test('outcomes are refused for the first thing that is wrong with them', (t) => {
  const of = (change: OutcomesInit) => refusedField((check) => outcomesFromWire(check, create(OutcomesSchema, { ...OUTCOMES, ...change })));
  t.is(of({}), null);
  t.is(of({ refs: { ...REFS, attempts: [0] } }), 'attempt');
  t.is(of({ refs: { ...REFS, indexes: [] } }), 'attempts');
  t.is(of({ lines: { ...LINES, lengths: [5] } }), 'lines');
  t.is(of({ httpStatuses: [] }), 'http_statuses');
  t.is(of({ httpStatuses: [200, 1_000] }), 'http_status');
  t.is(of({ failures: [{ position: 2 }] }), 'position');
  t.is(of({ failures: [{ position: 1 }, { position: 1 }] }), 'position');
  t.is(of({ failures: [{ position: 1 }, { position: 0 }] }), 'position');
  t.is(of({ failures: [{ position: 1, code: 'x'.repeat(257) }] }), 'code');
});

test('only failures take more than a place in the columns', (t) => {
  const line = new TextEncoder().encode('{}');
  const result = {
    index: 1,
    attempt: 1,
    claimEpoch: 0,
    line,
    httpStatus: 200,
    kind: 'result',
    code: '',
    isRetryable: false,
    isProbe: false,
    delayMs: 0,
  } as const;
  const error = { ...result, index: 2, kind: 'error', code: 'timeout', isRetryable: true, delayMs: 12 } as const;
  t.deepEqual(outcomesToWire([result, result])?.failures, []);
  const wire = outcomesToWire([result, error, result]);
  t.deepEqual(wire?.failures, [{ position: 1, code: 'timeout', retryable: true, probe: false, delayMs: 12 }]);
  t.is(outcomesToWire([]), undefined);
});

test('assignments are refused for the first thing that is wrong with them', (t) => {
  const of = (change: AssignmentsInit) =>
    refusedField((check) => assignmentsFromWire(check, create(AssignmentsSchema, { ...ASSIGNMENTS, ...change })));
  t.is(of({}), null);
  t.is(of({ lineNumbers: [1] }), 'line_numbers');
  t.is(of({ lineNumbers: [1, 0] }), 'line_number');
  t.is(of({ form: ItemForm.UNSPECIFIED }), 'form');
  t.is(of({ lines: { ...LINES, bytes: new TextEncoder().encode('{}\n""') } }), 'lines');
});

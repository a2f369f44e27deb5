import test from 'ava';
import { type Condition, conditionOf, isTrue, type Observed, setCondition } from '../../../../operator/api/conditions.ts';
import { CONDITION } from '../../../../operator/api/names.ts';
import { readCrd, runSchema, schemaAt } from '../../../support/run-schema.ts';

const EARLIER = '2026-01-31T10:00:00Z';
const NOW = '2026-01-31T10:05:00Z';
const READY: Observed = { type: CONDITION.inputReady, status: 'True', reason: 'InputFound', message: 'ten items' };
const PROGRESSING: Observed = { type: CONDITION.progressing, status: 'Unknown', reason: 'NotObserved', message: '' };

const before: readonly Condition[] = setCondition(setCondition([], READY, 1, EARLIER), PROGRESSING, 1, EARLIER);

test('a condition that is seen for the first time is added, with the moment', (t) => {
  t.deepEqual(before, [
    { ...READY, observedGeneration: 1, lastTransitionTime: EARLIER },
    { ...PROGRESSING, observedGeneration: 1, lastTransitionTime: EARLIER },
  ]);
});

test('a changed status moves the time, and leaves the others as they were', (t) => {
  const after = setCondition(before, { ...READY, status: 'False', reason: 'InputNotFound' }, 2, NOW);
  t.deepEqual(after[0], { ...READY, status: 'False', reason: 'InputNotFound', observedGeneration: 2, lastTransitionTime: NOW });
  t.is(after[1], before[1]);
  t.is(after.length, 2);
});

test('a changed reason, message or generation does not move the time', (t) => {
  const kept = { ...READY, observedGeneration: 1, lastTransitionTime: EARLIER };
  t.deepEqual(setCondition(before, { ...READY, reason: 'Other' }, 1, NOW)[0], { ...kept, reason: 'Other' });
  t.deepEqual(setCondition(before, { ...READY, message: 'eleven items' }, 1, NOW)[0], { ...kept, message: 'eleven items' });
  t.deepEqual(setCondition(before, READY, 2, NOW)[0], { ...kept, observedGeneration: 2 });
});

test('the very same list comes back where nothing differs, so that nothing is written', (t) => {
  t.is(setCondition(before, READY, 1, NOW), before);
});

test('a message is cut to what the schema allows, and is the same when it is cut again', (t) => {
  const conditions = schemaAt(runSchema(readCrd()), 'status.conditions').items ?? {};
  const most = schemaAt(conditions, 'message').maxLength ?? 0;
  const long = { ...READY, message: 'x'.repeat(most + 1) };
  const after = setCondition(before, long, 1, NOW);
  t.is(after[0]?.message.length, most);
  t.is(setCondition(after, long, 1, NOW), after);
  t.is(setCondition(before, { ...READY, message: 'x'.repeat(most) }, 1, NOW)[0]?.message, 'x'.repeat(most));
});

test('Unknown and absent conditions do not hold', (t) => {
  t.true(isTrue(before, CONDITION.inputReady));
  t.false(isTrue(before, CONDITION.progressing));
  t.false(isTrue(before, CONDITION.complete));
  t.is(conditionOf(before, CONDITION.complete), undefined);
});

import test from 'ava';
import { EventSeries, type Occurrence } from '../../../../operator/kube/event-series.ts';
import { NODE, POD } from '../../../../operator/kube/kind.ts';

const POD_EVENT: Occurrence = {
  kind: POD,
  object: { metadata: { name: 'p1', namespace: 'ns', uid: 'u1' } },
  type: 'Normal',
  reason: 'Drained',
  action: 'Drain',
  note: 'it was drained',
};

const MINUTE_MS = 60_000;

test('the same thing that happens again is counted, and its count is written once', (t) => {
  const series = new EventSeries();
  t.deepEqual(series.onOccurrence(0, 5_000, POD_EVENT, 'x1'), {
    kind: 'create',
    series: { namespace: 'ns', name: 'p1.x1', count: 1, lastWallMs: 5_000 },
  });
  t.deepEqual(series.takeDue(0), []);
  t.deepEqual(series.onOccurrence(1_000, 6_000, POD_EVENT, 'x2'), { kind: 'count' });
  t.deepEqual(series.onOccurrence(2_000, 7_000, POD_EVENT, 'x3'), { kind: 'count' });
  const [due] = series.takeDue(3_000);
  t.like(due, { namespace: 'ns', name: 'p1.x1', count: 3, lastWallMs: 7_000 });
  t.deepEqual(series.takeDue(3_000), []);
  series.onOccurrence(4_000, 8_000, POD_EVENT, 'x4');
  t.is(series.takeDue(4_000)[0]?.count, 4);
});

test('another object, reason, action, type or note is another event', (t) => {
  const series = new EventSeries();
  const others: readonly Occurrence[] = [
    POD_EVENT,
    { ...POD_EVENT, object: { metadata: { name: 'p1', namespace: 'ns', uid: 'u2' } } },
    { ...POD_EVENT, object: { metadata: { name: 'p1', namespace: 'ns2', uid: 'u1' } } },
    { ...POD_EVENT, reason: 'Lost' },
    { ...POD_EVENT, action: 'Look' },
    { ...POD_EVENT, type: 'Warning' },
    { ...POD_EVENT, note: 'something else' },
  ];
  t.deepEqual(
    others.map((one, at) => series.onOccurrence(0, 0, one, `x${at}`).kind),
    others.map(() => 'create'),
  );
});

test('what has not happened for six minutes is a new event', (t) => {
  const series = new EventSeries();
  series.onOccurrence(0, 0, POD_EVENT, 'x1');
  t.is(series.onOccurrence(6 * MINUTE_MS - 1, 0, POD_EVENT, 'x2').kind, 'count');
  t.like(series.onOccurrence(12 * MINUTE_MS - 1, 0, POD_EVENT, 'x3'), { kind: 'create', series: { name: 'p1.x3', count: 1 } });
});

test('the last count of a series is written even where it has ended', (t) => {
  const series = new EventSeries();
  series.onOccurrence(0, 0, POD_EVENT, 'x1');
  series.onOccurrence(1, 1, POD_EVENT, 'x2');
  t.is(series.takeDue(60 * MINUTE_MS).length, 1);
  t.is(series.takeDue(60 * MINUTE_MS).length, 0);
});

test('an object gets 25 events at once, and one in five minutes from then on; others are not touched by it', (t) => {
  const series = new EventSeries();
  const kinds = Array.from({ length: 27 }, (_, at) => series.onOccurrence(0, 0, { ...POD_EVENT, note: `${at}` }, 'x').kind);
  t.deepEqual(kinds, [...Array.from({ length: 25 }, () => 'create'), 'drop', 'drop']);
  t.is(series.onOccurrence(0, 0, { ...POD_EVENT, object: { metadata: { name: 'p2', namespace: 'ns' } } }, 'x').kind, 'create');
  t.is(series.onOccurrence(5 * MINUTE_MS - 1, 0, { ...POD_EVENT, note: 'late' }, 'x').kind, 'drop');
  t.is(series.onOccurrence(5 * MINUTE_MS, 0, { ...POD_EVENT, note: 'later' }, 'x').kind, 'create');
  t.is(series.onOccurrence(5 * MINUTE_MS, 0, { ...POD_EVENT, note: 'last' }, 'x').kind, 'drop');
});

test('an event that is not there is written anew', (t) => {
  const series = new EventSeries();
  series.onOccurrence(0, 0, POD_EVENT, 'x1');
  series.forget('p1.x1');
  t.like(series.onOccurrence(1, 0, POD_EVENT, 'x2'), { kind: 'create', series: { name: 'p1.x2' } });
});

test('an object without a namespace has its events in the default one, and a long name is cut', (t) => {
  const series = new EventSeries();
  const node: Occurrence = { ...POD_EVENT, kind: NODE, object: { metadata: { name: 'n'.repeat(253) } } };
  const verdict = series.onOccurrence(0, 0, node, '0123456789abcdef');
  if (verdict.kind !== 'create') return t.fail();
  t.is(verdict.series.namespace, 'default');
  t.true(verdict.series.name.length <= 253);
  t.true(verdict.series.name.endsWith('.0123456789abcdef'));
});

test('what it remembers has a limit', (t) => {
  const series = new EventSeries();
  const about = (at: number): Occurrence => ({ ...POD_EVENT, object: { metadata: { name: `p${at}`, namespace: 'ns' } } });
  for (let at = 0; at < 5_000; at += 1) series.onOccurrence(at, 0, about(at), 'x');
  t.is(series.onOccurrence(5_000, 0, about(0), 'x').kind, 'create');
  t.is(series.onOccurrence(5_000, 0, about(4_999), 'x').kind, 'count');
});

import test from 'ava';
import { merged, type PartResult } from '../../../bench/results.ts';

const part = (day: string): PartResult => ({ scale: 'full', day, machine: 'two cores', rounds: [] });

test('a part that is measured again replaces its last result; the others stay, in the order of the parts', (t) => {
  const before = { parts: { start: part('2026-01-01'), gone: part('2026-01-01'), idle: part('2026-01-01') } };
  const results = merged(before, { start: part('2026-01-02') }, ['idle', 'start', 'large-list']);
  t.deepEqual(Object.entries(results.parts), [
    ['idle', part('2026-01-01')],
    ['start', part('2026-01-02')],
  ]);
});

test('the first results are those of now', (t) => {
  t.deepEqual(merged(null, { start: part('2026-01-02') }, ['start']), { parts: { start: part('2026-01-02') } });
});

import test from 'ava';
import { named, Violations } from '../../../../runtime/results/verify/violations.ts';

test('the first twenty breaks are kept, and all are counted', (t) => {
  const violations = new Violations();
  for (let line = 1; line <= 25; line++) violations.add('out.jsonl', line, 'is wrong');
  t.is(violations.count, 25);
  t.deepEqual(
    violations.first.map(({ line }) => line),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
});

test('a record is named by its custom_id, shortened and with nothing that breaks a line', (t) => {
  t.is(named('a"\n'), 'custom_id "a\\"\\n"');
  t.is(named('x'.repeat(81)), `custom_id "${'x'.repeat(80)}…"`);
  t.is(named(null), 'without a custom_id');
});

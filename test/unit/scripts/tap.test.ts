import test from 'ava';
import { TapReader } from '../../../scripts/tap.ts';

const read = (text: string): unknown[] => {
  const tap = new TapReader();
  return [...text.split('\n').flatMap((line) => tap.line(line)), ...tap.end()];
};

test('a passed, a failed and a skipped test are told apart, and a failure keeps all its details', (t) => {
  const output = [
    'TAP version 13',
    'ok 1 - a › one',
    'not ok 2 - a › two',
    '  ---',
    '    message: no',
    '  ...',
    'ok 3 - a › three # SKIP',
    '1..3',
  ];
  t.deepEqual(read(output.join('\n')), [
    { kind: 'passed', title: 'a › one' },
    { kind: 'failed', title: 'a › two', details: ['  ---', '    message: no', '  ...'] },
    { kind: 'skipped', title: 'a › three' },
    { kind: 'closed' },
  ]);
});

test('a test that is only planned is not passed', (t) => {
  t.deepEqual(read('not ok 1 - later # TODO'), [{ kind: 'skipped', title: 'later' }]);
});

test('a failure at the very end of the output is not lost', (t) => {
  t.deepEqual(read('not ok 1 - last\n  ---'), [{ kind: 'failed', title: 'last', details: ['  ---'] }]);
});

test('totals at the end are no tests, and the plan before them says that the report is whole', (t) => {
  t.deepEqual(read('1..6\n# tests 5\n# pass 3\n# fail 4'), [{ kind: 'closed' }]);
  t.deepEqual(read('# tests 5\n# pass 3'), []);
});

test('tests that a file never came to are told with their number', (t) => {
  t.deepEqual(read('ok 1 - a › one\n# 2 tests remaining in test/unit/a.test.ts\n# 1 test remaining in test/unit/b.test.ts'), [
    { kind: 'passed', title: 'a › one' },
    { kind: 'remaining', file: 'test/unit/a.test.ts', count: 2 },
    { kind: 'remaining', file: 'test/unit/b.test.ts', count: 1 },
  ]);
});

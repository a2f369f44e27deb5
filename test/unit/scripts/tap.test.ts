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
  ]);
});

test('a test that is only planned is not passed', (t) => {
  t.deepEqual(read('not ok 1 - later # TODO'), [{ kind: 'skipped', title: 'later' }]);
});

test('a failure at the very end of the output is not lost', (t) => {
  t.deepEqual(read('not ok 1 - last\n  ---'), [{ kind: 'failed', title: 'last', details: ['  ---'] }]);
});

test('totals at the end are no tests', (t) => {
  t.deepEqual(read('1..6\n# tests 5\n# pass 3\n# fail 4'), []);
});

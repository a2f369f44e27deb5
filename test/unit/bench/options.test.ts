import test from 'ava';
import { parseOptions, RESULTS_FILE } from '../../../bench/options.ts';

const PARTS = ['end-to-end', 'start'];

test('without anything said all is measured at full scale in five rounds, for the README', (t) => {
  const options = { scale: 'full', rounds: 5, only: [], resultsPath: RESULTS_FILE, isForReadme: true };
  t.deepEqual(parseOptions({}, PARTS), options);
  t.deepEqual(parseOptions({ ONLY: '', ROUNDS: '', SCALE: '', RESULTS: '' }, PARTS), options);
});

test('a smaller scale is printed only, unless a file is named', (t) => {
  t.like(parseOptions({ SCALE: 'small', ROUNDS: '3' }, PARTS), { scale: 'small', rounds: 3, resultsPath: null, isForReadme: false });
  t.like(parseOptions({ SCALE: 'tiny', RESULTS: 'a.json' }, PARTS), { rounds: 1, resultsPath: 'a.json', isForReadme: false });
  t.like(parseOptions({ RESULTS: 'a.json' }, PARTS), { scale: 'full', isForReadme: false });
});

test('single parts are named, and a name that is unknown is refused with those that are known', (t) => {
  t.like(parseOptions({ ONLY: 'start,end-to-end' }, PARTS), { only: ['start', 'end-to-end'], isForReadme: true });
  t.is(parseOptions({ ONLY: 'begin' }, PARTS), 'ONLY=begin: there are end-to-end, start');
  t.regex(JSON.stringify(parseOptions({ SCALE: 'big' }, PARTS)), /there are full, small and tiny/);
  t.regex(JSON.stringify(parseOptions({ ROUNDS: '0' }, PARTS)), /from 1 to 99/);
});

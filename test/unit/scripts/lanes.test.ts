import test from 'ava';
import { fileOfTitle, planSlots } from '../../../scripts/lanes.ts';

const FILES = ['test/unit/ledger/codec.test.ts', 'test/unit/worker/codec.test.ts', 'test/contract/ledger.test.ts'];

test('a title finds its file whatever folders all files share', (t) => {
  t.deepEqual(fileOfTitle('unit › ledger › codec › L9: attempts fit', FILES), { file: FILES[0], title: 'L9: attempts fit' });
  t.deepEqual(fileOfTitle('worker › codec › reads back', FILES.slice(0, 2)), { file: FILES[1], title: 'reads back' });
  t.deepEqual(fileOfTitle('reads back', FILES.slice(0, 1)), { file: FILES[0], title: 'reads back' });
});

test('a title of no known file is kept whole', (t) => {
  t.deepEqual(fileOfTitle('No tests found in x.ts', FILES), { file: null, title: 'No tests found in x.ts' });
});

test('every test file is in exactly one lane, and one that names no process in the lane without', (t) => {
  const lanes = planSlots([]).flat();
  const files = lanes.flatMap((lane) => lane.files);
  t.is(new Set(files).size, files.length);
  t.true(files.length > 100);
  t.true(lanes.find((lane) => lane.name === 'inside')?.files.includes('test/unit/scripts/lanes.test.ts'));
  t.deepEqual(
    lanes.filter((lane) => lane.isSerial).flatMap((lane) => [...new Set(lane.files.map((file) => file.split('/')[1]))]),
    ['integration', 'e2e', 'e2e'],
  );
});

test('a path where nothing is gives no lane', (t) => {
  t.deepEqual(planSlots(['test/no-such-folder']).flat(), []);
});

import test from 'ava';
import { fileOfTitle, LONGEST, planRun, titlePrefixOf, WAITING } from '../../../scripts/lanes.ts';

const FILES = ['test/unit/ledger/codec.test.ts', 'test/unit/worker/codec.test.ts', 'test/contract/ledger.test.ts'];

test('a title finds its file whatever folders all files share', (t) => {
  t.deepEqual(fileOfTitle('unit › ledger › codec › L9: attempts fit', FILES), { file: FILES[0], title: 'L9: attempts fit' });
  t.deepEqual(fileOfTitle('worker › codec › reads back', FILES.slice(0, 2)), { file: FILES[1], title: 'reads back' });
  t.deepEqual(fileOfTitle('reads back', FILES.slice(0, 1)), { file: FILES[0], title: 'reads back' });
});

test('a title that was prefixed for a shared process finds its file, also where that is the only one', (t) => {
  const title = `${titlePrefixOf(FILES[0] ?? '')}L9: attempts fit`;
  t.deepEqual(fileOfTitle(title, FILES), { file: FILES[0], title: 'L9: attempts fit' });
  t.deepEqual(fileOfTitle(title, FILES.slice(0, 1)), { file: FILES[0], title: 'L9: attempts fit' });
});

test('a title of no known file is kept whole', (t) => {
  t.deepEqual(fileOfTitle('No tests found in x.ts', FILES), { file: null, title: 'No tests found in x.ts' });
});

test('every test file runs exactly once, and only those of integration and e2e as tests of processes', (t) => {
  const { inside, processes, waiting } = planRun([]);
  const within = inside.flatMap((lane) => lane.files);
  const files = [...within, ...processes, ...waiting];
  t.is(new Set(files).size, files.length);
  t.true(files.length > 100);
  t.true(within.includes('test/unit/scripts/lanes.test.ts'));
  t.deepEqual([...new Set([...processes, ...waiting].map((file) => file.split('/')[1] ?? ''))].toSorted(), ['e2e', 'integration']);
  t.false(within.some((file) => /^test\/(?:e2e|integration)\//.test(file)));
});

test('files that only compute share a process, and none that reaches out of it does', (t) => {
  const together = planRun([]).inside.find((lane) => lane.isTogether)?.files ?? [];
  t.true(together.length > 80, `only ${together.length} files share a process`);
  t.true(together.includes('test/unit/ledger/codec.test.ts'));
  const reaching = ['test/unit/base/clock.test.ts', 'test/unit/worker/backends/openai.test.ts', 'test/unit/results/log/log.test.ts'];
  t.deepEqual(
    together.filter((file) => reaching.includes(file) || !file.startsWith('test/unit/')),
    [],
  );
});

test('the longest process tests are taken first, and those that wait have a lane of their own; all of them are there', (t) => {
  const { processes, waiting } = planRun([]);
  t.deepEqual(processes.slice(0, LONGEST.length), LONGEST);
  t.deepEqual(waiting, WAITING);
});

test('a path where nothing is gives nothing to run', (t) => {
  t.deepEqual(planRun(['test/no-such-folder']), { inside: [], processes: [], waiting: [] });
});

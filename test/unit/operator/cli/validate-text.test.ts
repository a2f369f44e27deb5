import test from 'ava';
import { badLines, listText, placedText } from '../../../../operator/cli/validate-text.ts';

const BAD = { lineNumber: 3, code: 'invalid_json', message: 'the line is not JSON' } as const;

test('a mistake stands behind its place, as compilers write it', (t) => {
  t.is(placedText({ file: 'run.yaml', line: 7, field: 'spec', message: 'wrong' }), 'run.yaml:7: wrong');
  t.is(placedText({ file: 'run.yaml', line: null, field: null, message: 'wrong' }), 'run.yaml: wrong');
});

test('a bad line of a list has its number in the file, also where the list is within it', (t) => {
  const report = { items: 5, bad: 1, shown: [BAD] };
  t.deepEqual(badLines('a.jsonl', report).map(placedText), ['a.jsonl:3: invalid_json: the line is not JSON']);
  t.deepEqual(
    badLines('run.yaml', report, 11).map(({ line }) => line),
    [13],
  );
});

test('a list in a sentence', (t) => {
  t.is(listText('a.jsonl', { items: 1, bad: 0, shown: [] }), 'a.jsonl: 1 item');
  t.regex(listText('a.jsonl', { items: 0, bad: 0, shown: [] }), /the list is empty/);
  t.regex(listText('a.jsonl', { items: 5, bad: 1, shown: [BAD] }), /^a\.jsonl: 5 items, and 1 bad line: a run records/);
  t.regex(listText('a.jsonl', { items: 5, bad: 30, shown: [BAD] }), /30 bad lines, of which the first 1 are shown/);
});

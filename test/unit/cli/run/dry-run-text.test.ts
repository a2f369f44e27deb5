import test from 'ava';
import { type DryRun, dryRunText, neededBytes } from '../../../../runtime/cli/run/dry-run-text.ts';

function found(change: Partial<DryRun> = {}): DryRun {
  const counts = { items: 51, invalid: 0, kinds: [], blankLines: 2, streamed: 0, inputBytes: 5_000, spoolBytes: 0, indexBytes: 51 * 16 };
  return { ...counts, freeBytes: 2 ** 40, firstInvalid: [], ...change };
}

test('lines that ask for a stream are told, since their answers are put together here', (t) => {
  t.regex(dryRunText(found({ streamed: 2 })).join('\n'), /2 have "stream": true/);
  t.notRegex(dryRunText(found()).join('\n'), /stream/);
});

test('a dry run tells lines, bad lines and blank lines, and that nothing was executed', (t) => {
  const text = dryRunText(found()).join('\n');
  t.regex(text, /^51 input lines \(4\.8 KiB\), 0 of them bad, 2 blank lines skipped/);
  t.regex(text, /nothing was executed/);
  t.notRegex(text, /not be enough/);
});

test('the first bad lines are listed with their numbers, the others counted', (t) => {
  const firstInvalid = [{ lineNumber: 3, code: 'invalid_json', message: 'the line is not JSON', customId: null }] as const;
  const text = dryRunText(found({ invalid: 9, firstInvalid })).join('\n');
  t.regex(text, /line 3: invalid_json: the line is not JSON/);
  t.regex(text, /and 8 more/);
});

test('bad lines are counted by kind, each with its first line', (t) => {
  const kinds = [
    { code: 'invalid_json', count: 7, firstLine: 3 },
    { code: 'duplicate_custom_id', count: 2, firstLine: 40 },
  ] as const;
  const lines = dryRunText(found({ invalid: 9, kinds }));
  t.deepEqual(lines.slice(1, 3), ['  7 × invalid_json, first on line 3', '  2 × duplicate_custom_id, first on line 40']);
});

test('too little free space is said', (t) => {
  t.regex(dryRunText(found({ freeBytes: 100 })).join('\n'), /may not be enough/);
});

test('a spooled input counts, the input itself is there already', (t) => {
  const counts = { items: 0, indexBytes: 0 };
  t.is(neededBytes({ ...counts, spoolBytes: 700 }), 700);
  t.is(neededBytes({ ...counts, spoolBytes: 0 }), 0);
});

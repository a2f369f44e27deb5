import test from 'ava';
import { unfinishedText, verificationText } from '../../../../runtime/cli/verbs/verification-text.ts';

const COUNTS = { items: 10, done: 8, failed: 2, blankLines: 1 };

test('a proof shows how the counts add up', (t) => {
  const text = verificationText({ ...COUNTS, isProven: true, violations: [], violationCount: 0 }, null).join('\n');
  t.regex(text, /Verified: 10 input lines = 8 results \+ 2 errors, 1 blank line skipped/);
});

test('breaks are shown with file and line, and the others are counted', (t) => {
  const violations = [
    { file: 'out.jsonl', line: 3, what: 'is there twice' },
    { file: 'ledger', line: null, what: 'is not finished' },
  ];
  t.deepEqual(verificationText({ ...COUNTS, isProven: false, violations, violationCount: 5 }, null), [
    'NOT verified: 5 violations found.',
    '  out.jsonl line 3: is there twice',
    '  ledger: is not finished',
    '  and 3 more',
  ]);
});

test('the proof of a run with --limit says how far it reaches', (t) => {
  const proven = { ...COUNTS, isProven: true, violations: [], violationCount: 0 };
  t.regex(verificationText(proven, 10).join('\n'), /--limit 10 .*first 10 items/);
  t.is(verificationText(proven, null).length, 1);
});

test('an unfinished run is told in one sentence, with what to do', (t) => {
  const advice = "; give the run's command again, then verify";
  t.is(unfinishedText({ done: 1_200, failed: 1 }, 3_000), `the run is not finished: 1201 of 3000 items are recorded${advice}`);
  t.is(unfinishedText({ done: 3, failed: 1 }, null), `the run is not finished: 4 items are recorded so far${advice}`);
});

import test from 'ava';
import { verificationText } from '../../../runtime/cli/verification-text.ts';

const COUNTS = { items: 10, done: 8, failed: 2, blankLines: 1 };

test('a proof shows how the counts add up', (t) => {
  const text = verificationText({ ...COUNTS, isProven: true, breaks: [], breakCount: 0 }).join('\n');
  t.regex(text, /Verified: 10 input lines = 8 results \+ 2 errors, 1 blank line skipped/);
});

test('breaks are shown with file and line, and the others are counted', (t) => {
  const breaks = [
    { file: 'out.jsonl', line: 3, what: 'is there twice' },
    { file: 'ledger', line: null, what: 'is not finished' },
  ];
  t.deepEqual(verificationText({ ...COUNTS, isProven: false, breaks, breakCount: 5 }), [
    'NOT verified: 5 breaks found.',
    '  out.jsonl line 3: is there twice',
    '  ledger: is not finished',
    '  and 3 more',
  ]);
});

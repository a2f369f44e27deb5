import test from 'ava';
import { stepText } from '../../../../runtime/cli/verbs/drain-text.ts';
import type { DrainStepKind } from '../../../../runtime/model/session.ts';

test('each step reads as what has been done', (t) => {
  const texts: Readonly<Record<DrainStepKind, string>> = {
    'stopped-pulling': 'takes nothing new, 12.3 s left',
    'returned-unstarted': '2 items that had not started went back',
    finishing: '2 items can end in time and go on, 12.3 s left',
    'returned-started': '2 items that had started and cannot end in time went back',
    leaving: 'holds nothing any more, and leaves',
    withdrawn: 'works again: the hint was withdrawn',
  };
  for (const [step, text] of Object.entries(texts)) {
    t.is(stepText({ step: step as DrainStepKind, items: 2, remainingMs: 12_345, reason: '' }), text);
  }
});

test('one item, and a time that nobody has set', (t) => {
  t.is(stepText({ step: 'finishing', items: 1, remainingMs: 0, reason: '' }), '1 item can end in time and goes on');
});

import test from 'ava';
import type { Damage } from '../../../../runtime/results/log/damage.ts';
import { damaged, damageText } from '../../../../runtime/results/log/damage-text.ts';

const END = { epoch: 0, path: '/a.seg', offset: 120, segmentBytes: 900, problem: 'checksum' } as const;
const DAMAGE: Damage = {
  lost: 25,
  indexes: [3, 7],
  segments: [
    { path: '/a.seg', accepted: 30, left: 6, end: END },
    { path: '/b.seg', accepted: 1, left: 0, end: null },
    { path: '/c.seg', accepted: 4, left: 3, end: { ...END, problem: null } },
  ],
  left: [],
};

test('damage is told with its files, bytes and items', (t) => {
  t.deepEqual(damageText(DAMAGE), [
    '25 recorded outcomes are damaged or gone:',
    '  /a.seg cannot be read from byte 120 of 900 on: a checksum is wrong, the bytes were changed; 6 of its 30 outcomes are left',
    '  /b.seg is missing; 0 of its 1 outcomes are left',
    '  /c.seg ends at byte 900, before its last outcome; 3 of its 4 outcomes are left',
    '  item indexes (from 0): 3, 7 and 23 more',
  ]);
});

test('what ends with it says what was not done, and both ways on', (t) => {
  const { code, message } = damaged({ ...DAMAGE, lost: 1, indexes: [3] }, 'executed');
  t.is(code, 'RESULTS_DAMAGED');
  for (const part of ['item index (from 0): 3', 'Nothing was executed', '--rerun-damaged', 'rollout export --partial'])
    t.true(message.includes(part), part);
});

test('items are named by the input too, where it is at hand, however long or odd the name is', (t) => {
  const text = damageText(DAMAGE, new Map([[7, `a\u200b"${'x'.repeat(100)}`]])).at(-1) ?? '';
  t.regex(text, /: 3, 7 \(custom_id "a\\u200b\\"x{57}…"\) and 23 more$/);
});

import test from 'ava';
import { ageText, tableText } from '../../../../operator/cli/table.ts';

test('columns are as wide as their widest entry', (t) => {
  t.deepEqual(
    tableText(
      ['NAME', 'AGE'],
      [
        ['a', '5s'],
        ['much-longer', ''],
      ],
    ),
    ['NAME          AGE', 'a             5s', 'much-longer'],
  );
});

test('a character is one column, however many units it has', (t) => {
  t.deepEqual(tableText(['A', 'B'], [['😀', 'x']]), ['A   B', '😀   x']);
});

const NOW = Date.parse('2026-11-30T10:00:00Z');

for (const [seconds, text] of [
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [7_199, '119m'],
  [7_200, '2h'],
  [172_799, '47h'],
  [172_800, '2d'],
  [-5, '0s'],
] as const) {
  test(`${seconds} seconds are ${text}`, (t) => {
    t.is(ageText(new Date(NOW - seconds * 1_000).toISOString(), NOW), text);
  });
}

test('a moment that is not known has no age', (t) => {
  t.is(ageText(undefined, NOW), '-');
  t.is(ageText('soon', NOW), '-');
});

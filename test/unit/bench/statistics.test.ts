import test from 'ava';
import type { Figures, Measurement, Subject } from '../../../bench/contract.ts';
import { beyondStartUp, type Rounds, rowsOf, spreadOf } from '../../../bench/statistics.ts';

function one(subject: Subject, figures: Figures, foreignCores = 0, load = 'a list'): Measurement {
  return { subject, load, figures, foreignCores };
}

test('a spread has the middle value, or the mean of both in the middle', (t) => {
  t.deepEqual(spreadOf([9, 1, 2]), { median: 2, least: 1, most: 9 });
  t.deepEqual(spreadOf([4, 1, 2, 9]), { median: 3, least: 1, most: 9 });
  t.deepEqual(spreadOf([7]), { median: 7, least: 7, most: 7 });
});

test('each figure of each load is a row, with the spread over the rounds of each subject that has it', (t) => {
  const rounds: Rounds = [
    [
      one('rollout', { itemsPerSecond: 10, cpuUsPerItem: 300 }),
      one('bare', { itemsPerSecond: 40 }),
      one('rollout', { seconds: 3 }, 0, 'start'),
    ],
    [
      one('rollout', { itemsPerSecond: 30, cpuUsPerItem: 100 }),
      one('bare', { itemsPerSecond: 60 }),
      one('rollout', { seconds: 5 }, 0, 'start'),
    ],
  ];
  const rows = rowsOf(rounds);
  t.deepEqual(
    rows.map(({ load, figure }) => `${load}: ${figure}`),
    ['a list: itemsPerSecond', 'a list: cpuUsPerItem', 'start: seconds'],
  );
  t.deepEqual(rows[0]?.values, { rollout: { median: 20, least: 10, most: 30 }, bare: { median: 50, least: 40, most: 60 } });
  t.deepEqual(rows[2]?.values, { rollout: { median: 4, least: 3, most: 5 } });
});

test('a ratio is the median of those within each round, so that a slow round does not count twice', (t) => {
  const round = (own: number, theirs: number): readonly Measurement[] => [
    one('rollout', { itemsPerSecond: own }),
    one('bullmq', { itemsPerSecond: theirs }),
  ];
  t.is(rowsOf([round(80, 10), round(8, 1), round(60, 10)])[0]?.ratios.bullmq, 8);
  t.deepEqual(rowsOf([[one('rollout', { itemsPerSecond: 1 })]])[0]?.ratios, {});
});

test('rounds in which others used more than 0.3 of a core are counted, for their own load alone', (t) => {
  const rounds: Rounds = [
    [one('rollout', { seconds: 1 }, 0.1), one('bare', { seconds: 1 }, 0.31), one('rollout', { seconds: 1 }, 0.3, 'start')],
    [one('rollout', { seconds: 1 }, 0.1), one('bare', { seconds: 1 }, 0.2), one('rollout', { seconds: 1 }, 0.3, 'start')],
  ];
  t.deepEqual(
    rowsOf(rounds).map(({ markedRounds }) => markedRounds),
    [1, 0],
  );
});

test('a run without a figure leaves no hole in the others', (t) => {
  const rows = rowsOf([
    [one('rollout', {}), one('bare', { itemsPerSecond: 5 })],
    [one('rollout', { itemsPerSecond: 3 }), one('bare', { itemsPerSecond: 6 })],
  ]);
  t.deepEqual(rows[0]?.values, { rollout: { median: 3, least: 3, most: 3 }, bare: { median: 5.5, least: 5, most: 6 } });
  t.is(rows[0]?.ratios.bare, 0.5);
});

test('what counts is what a list takes beyond a run of one item', (t) => {
  const startUp = { seconds: 3, cpuMs: 6_000, foreignCores: 0 };
  t.deepEqual(beyondStartUp({ seconds: 13, cpuMs: 10_000, foreignCores: 0 }, startUp, 40_000), {
    itemsPerSecond: 4_000,
    cpuUsPerItem: 100,
  });
  t.is(beyondStartUp({ seconds: 2.9, cpuMs: 10_000, foreignCores: 0 }, startUp, 1), null);
  t.is(beyondStartUp({ seconds: 4, cpuMs: 6_000, foreignCores: 0 }, startUp, 1), null);
});

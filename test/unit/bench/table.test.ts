import test from 'ava';
import type { PartResult, Results } from '../../../bench/results.ts';
import { tableText, withTable } from '../../../bench/table.ts';

const RESULTS: Results = {
  parts: {
    'end-to-end': part([
      [
        { subject: 'rollout', load: 'a list', figures: { itemsPerSecond: 5_000, cpuUsPerItem: 300 }, foreignCores: 0 },
        { subject: 'bare', load: 'a list', figures: { itemsPerSecond: 20_000, cpuUsPerItem: 60 }, foreignCores: 0.5 },
        { subject: 'bullmq', load: 'a list', figures: { itemsPerSecond: 2_500, cpuUsPerItem: 600 }, foreignCores: 0 },
      ],
      [
        { subject: 'rollout', load: 'a list', figures: { itemsPerSecond: 6_000, cpuUsPerItem: 300 }, foreignCores: 0 },
        { subject: 'bare', load: 'a list', figures: { itemsPerSecond: 20_000, cpuUsPerItem: 60 }, foreignCores: 0 },
        { subject: 'bullmq', load: 'a list', figures: { itemsPerSecond: 3_000, cpuUsPerItem: 600 }, foreignCores: 0 },
      ],
    ]),
    start: part([[{ subject: 'rollout', load: 'start', figures: { seconds: 1.234 }, foreignCores: 0 }]]),
  },
};

function part(rounds: PartResult['rounds']): PartResult {
  return { scale: 'full', day: '2026-01-31', machine: 'two cores', rounds };
}

test('the table says where and when, and has a row for each figure with its spread and both ratios', (t) => {
  t.deepEqual(tableText(RESULTS).split('\n'), [
    'Measured 2026-01-31 (full) on two cores.',
    '',
    '| what | figure | Rollout | bare path | BullMQ 5 | to the bare path | to BullMQ 5 |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    '| a list \\* | items/s | 5,500 (5,000–6,000) | 20,000 | 2,750 (2,500–3,000) | 0.28 × | 2.00 × |',
    '|  | CPU µs per item, all processes | 300 | 60 | 600 | 5.00 × | 0.50 × |',
    '| start | s | 1.23 |  |  |  |  |',
    '',
    'Medians, with the least and the most of all rounds. \\* In at least one round others used more than 0.3 of a core.',
  ]);
});

test('the table stands between its markers and nowhere else', (t) => {
  const readme = 'before\n<!-- written by make bench: begin -->\nold\n<!-- written by make bench: end -->\nafter\n';
  const changed = withTable(readme, 'new');
  t.is(changed, 'before\n<!-- written by make bench: begin -->\nnew\n<!-- written by make bench: end -->\nafter\n');
  t.is(withTable(changed ?? '', 'new'), changed);
  t.is(withTable('no markers', 'new'), null);
});

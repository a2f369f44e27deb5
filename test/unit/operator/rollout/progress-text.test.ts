import test from 'ava';
import { etaText, progressText, rateText } from '../../../../operator/rollout/progress-text.ts';

test('columns are short, and empty where nothing is known', (t) => {
  t.deepEqual([progressText(3, 10), progressText(3, null)], ['3/10', '3/?']);
  t.deepEqual([rateText(null), rateText(0), rateText(12.34), rateText(1234.5)], ['', '0.0/s', '12.3/s', '1235/s']);
  t.deepEqual([etaText(10, null), etaText(10, 0), etaText(0, 5)], ['', '', '']);
  t.deepEqual(
    [etaText(10, 1), etaText(100, 1), etaText(7_200, 1), etaText(5_400, 1), etaText(400_000, 1)],
    ['10s', '2m', '2h0m', '1h30m', '5d'],
  );
});

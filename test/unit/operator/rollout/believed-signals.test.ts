import test from 'ava';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import { believedSignals } from '../../../../operator/rollout/believed-signals.ts';
import { answerOf, workerOf } from '../../../support/operator/run-world.ts';

const SILENT: Signal = { severity: 'gone', provider: null, deadlineMs: null, reason: 'x', isSilence: true };
const GONE: Signal = { severity: 'gone', provider: null, deadlineMs: null, reason: 'x' };
const WORKERS = [workerOf(0), workerOf(1)];

test('a node that is not heard of counts as lost, but for one whose worker is heard', (t) => {
  const signals = new Map([
    ['node0', SILENT],
    ['node1', SILENT],
    ['node2', SILENT],
  ]);
  const [heard, silent] = answerOf().status.workers;
  if (heard === undefined || silent === undefined) return t.fail('the answer has two workers');
  const answer = answerOf({ workers: [heard, { ...silent, state: 'suspected' }] });
  t.deepEqual([...believedSignals(signals, WORKERS, answer).keys()], ['node1', 'node2']);
  t.deepEqual(believedSignals(signals, WORKERS, null), signals, 'nobody says otherwise');
});

test('who is said to be gone, or to go, is believed to', (t) => {
  const signals = new Map([
    ['node0', GONE],
    ['node1', { ...GONE, severity: 'drain' as const }],
  ]);
  t.deepEqual(believedSignals(signals, WORKERS, answerOf()), signals);
});

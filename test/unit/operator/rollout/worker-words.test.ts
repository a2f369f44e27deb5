import test from 'ava';
import { withdrawal } from '../../../../operator/rollout/told-words.ts';
import { workerWords } from '../../../../operator/rollout/worker-words.ts';
import { NOW, workerOf } from '../../../support/operator/run-world.ts';

const NOTICE = { deadlineMs: NOW + 15_000, reason: 'the pod is being deleted' };

test('a coordinator is told of the workers whose pods are about to end, and of the others that nothing is said', (t) => {
  const [other, word] = workerWords([workerOf(0), workerOf(1, { notice: NOTICE })], NOW);
  t.deepEqual(word?.word, {
    node: null,
    worker: 'answers-worker-1-0',
    severity: 'drain',
    provider: null,
    deadlineMs: 15_000,
    reason: 'the pod is being deleted',
  });
  t.deepEqual(other, withdrawal({ node: null, worker: 'answers-worker-0-0' }));
});

test('the time that is left shrinks, and is no news; another deadline is, and one that is over is still one', (t) => {
  const wordAt = (nowMs: number, deadlineMs = NOTICE.deadlineMs) =>
    workerWords([workerOf(0, { notice: { ...NOTICE, deadlineMs } })], nowMs)[0];
  t.is(wordAt(NOW)?.digest, wordAt(NOW + 60_000)?.digest);
  t.not(wordAt(NOW)?.digest, wordAt(NOW, NOW + 1)?.digest);
  t.is(wordAt(NOW + 60_000)?.word.deadlineMs, 1, 'none at all would mean that nobody says when');
});

import test from 'ava';
import { workerPod } from '../../../../operator/rollout/desired/worker-pod.ts';
import { hasShortGrace } from '../../../../operator/rollout/short-grace.ts';
import { PODS, runOf } from '../../../support/operator/run-world.ts';

test('a grace period is short where a pod is being deleted and has seconds for it', (t) => {
  const pod = workerPod(runOf(), { slot: 0, incarnation: 0 }, [], PODS);
  const deletionTimestamp = '2026-11-30T10:00:00Z';
  const cases: readonly (readonly [object, boolean])[] = [
    [{}, false],
    [{ deletionTimestamp, deletionGracePeriodSeconds: 60 }, false],
    [{ deletionTimestamp, deletionGracePeriodSeconds: 5 }, true],
    [{ deletionTimestamp, deletionGracePeriodSeconds: 0 }, true],
    [{ deletionTimestamp }, true],
  ];
  for (const [more, isShort] of cases)
    t.is(hasShortGrace({ ...pod, metadata: { ...pod.metadata, ...more } }), isShort, JSON.stringify(more));
});

import test from 'ava';
import { lossText } from '../../../../operator/cli/loss-text.ts';
import { conditionsOf, runOf } from '../../../support/operator/run-world.ts';

const GOES_ON = { phase: 'Running', items: { total: 10, done: 4, failed: 1 } };
const COMPLETE = {
  phase: 'Complete',
  items: { total: 10, done: 10, failed: 0 },
  conditions: [{ type: 'Complete', status: 'True', reason: 'AllItemsDone', message: '', lastTransitionTime: '' }],
} as const;
const OUTPUT = { output: { pvc: { claimName: 'data', path: 'answers.jsonl' } } };
const REDIS = { coordinator: { replicas: 1, store: { redis: { url: 'redis://r' } } } };

test('of a run that goes on, all results are lost, also where they were to be on a volume', (t) => {
  for (const spec of [{}, OUTPUT]) {
    t.deepEqual(lossText(runOf(spec, GOES_ON)), [
      'answers in team is Running, with a record of 5 of 10 items.',
      'All results so far are LOST: suspend it, and fetch them first with `kubectl rollout-run results answers -n team --partial > so-far.jsonl`.',
      "The coordinator's volume (PersistentVolumeClaim answers-state) is deleted.",
    ]);
  }
});

test('of a run that is complete, they are lost where they are on the volume of the coordinator', (t) => {
  t.is(
    lossText(runOf({}, COMPLETE))[1],
    'All its results are LOST: fetch them first with `kubectl rollout-run results answers -n team > answers.jsonl`.',
  );
});

test('what is on a volume of the user stays', (t) => {
  t.is(
    lossText(runOf(OUTPUT, COMPLETE))[1],
    'Its results stay where they were written: answers.jsonl of the claim data, and the errors file beside it.',
  );
});

test('of a run that is suspended or has failed, what is recorded can be fetched as it is', (t) => {
  const failed = { ...GOES_ON, phase: 'Failed', conditions: conditionsOf({ Failed: 'True' }) };
  for (const run of [runOf({ suspend: true }, GOES_ON), runOf({}, failed)])
    t.regex(lossText(run)[1] ?? '', /^All results so far are LOST: fetch them first with `.* --partial > so-far\.jsonl`\.$/);
});

test('a run that has begun nothing loses nothing', (t) => {
  t.deepEqual(lossText(runOf()).slice(0, 2), ['answers in team is Pending, with a record of 0 of ? items.', 'It has no results yet.']);
});

test('keys on a server stay until they expire', (t) => {
  t.regex(lossText(runOf(REDIS, GOES_ON)).at(-1) ?? '', /^The run's keys stay on the Redis server/);
});

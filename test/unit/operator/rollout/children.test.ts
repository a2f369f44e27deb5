import test from 'ava';
import {
  authorityName,
  childMeta,
  configName,
  coordinatorName,
  labelsOf,
  readerName,
  selectorOf,
  selectorText,
  stateClaimName,
  tlsName,
  workerName,
} from '../../../../operator/rollout/children.ts';
import { runOf } from '../../../support/operator/run-world.ts';

/** The schema's limit for the name of a run. */
const LONGEST_RUN = 'r'.repeat(40);
/** Of a host, and of the value of a label. */
const MOST_CHARACTERS = 63;

test('children are called after their run, so that a stale cache makes no twins', (t) => {
  t.deepEqual(
    [coordinatorName, stateClaimName, configName, readerName, authorityName].map((name) => name('a')),
    ['a-coordinator', 'a-state', 'a-config', 'a-reader', 'a-ca'],
  );
  t.is(tlsName('a', 'client'), 'a-client-tls');
  t.is(workerName('a', 2, 7), 'a-worker-2-7');
});

test('no name is too long for a label or a host, whatever the run is called', (t) => {
  const names = [
    ...[coordinatorName, stateClaimName, configName, readerName, authorityName].map((name) => name(LONGEST_RUN)),
    tlsName(LONGEST_RUN, 'coordinator'),
    workerName(LONGEST_RUN, 9_999, 999_999),
  ];
  t.deepEqual(
    names.filter((name) => name.length > MOST_CHARACTERS),
    [],
  );
});

test('what selects pods of a run is a part of their labels', (t) => {
  for (const component of ['coordinator', 'worker', 'reader'] as const) {
    t.like(labelsOf('a', component), selectorOf('a', component));
    t.like(labelsOf('a', component), { 'app.kubernetes.io/managed-by': 'rollout-operator', 'app.kubernetes.io/instance': 'a' });
  }
  t.notDeepEqual(selectorOf('a', 'worker'), selectorOf('a', 'reader'));
  t.is(selectorText(selectorOf('a', 'worker')), 'rollout.run/run=a,app.kubernetes.io/component=worker');
});

test('a child is owned by this very run, which waits for it when it is deleted', (t) => {
  const run = runOf();
  t.deepEqual(childMeta(run, 'x', 'worker'), {
    name: 'x',
    namespace: 'team',
    labels: labelsOf('answers', 'worker'),
    ownerReferences: [
      {
        apiVersion: 'rollout.run/v1alpha1',
        kind: 'RolloutRun',
        name: 'answers',
        uid: run.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
});

import test from 'ava';
import { type PodTrouble, podTrouble } from '../../../../operator/cli/pod-trouble.ts';
import { waiting, workerPodOf } from '../../../support/operator/pods.ts';
import { NOW } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';

const troubleOf = (status: object, metadata: object = {}): PodTrouble | null => podTrouble(workerPodOf(0, status, metadata), NOW);
const ended = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } });
const FRESH = { creationTimestamp: time(-10) };

test('a pod that runs, has ended well, or has just been made is in no trouble', (t) => {
  t.is(troubleOf({ phase: 'Running', containerStatuses: [{ name: 'worker', state: { running: {} } }] }), null);
  t.is(troubleOf({ phase: 'Succeeded', containerStatuses: [{ name: 'worker', state: ended(0) }] }), null);
  t.is(troubleOf({ phase: 'Pending' }, FRESH), null);
  t.is(troubleOf(waiting('model', 'ContainerCreating'), FRESH), null);
});

const TABLE: readonly (readonly [what: string, status: object, metadata: object, kind: PodTrouble['kind'], why: RegExp])[] = [
  [
    'no node takes it',
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] },
    FRESH,
    'unscheduled',
    /^0\/3 nodes are available$/,
  ],
  ['its image is not there', waiting('model', 'ImagePullBackOff', 'not found'), FRESH, 'image', /^ImagePullBackOff: not found$/],
  ['a Secret is missing', waiting('model', 'CreateContainerConfigError', 'secret "a" not found'), FRESH, 'configuration', /secret "a"/],
  [
    'it crashes again and again',
    waiting('model', 'CrashLoopBackOff', 'back-off', ended(1, { message: 'first\nlast words' })),
    FRESH,
    'ended',
    /^it ended with 1: last words$/,
  ],
  [
    'it has ended badly',
    { phase: 'Running', containerStatuses: [{ name: 'model', state: ended(137) }] },
    FRESH,
    'ended',
    /^it ended with 137$/,
  ],
  [
    'it had too little memory',
    waiting('model', 'CrashLoopBackOff', '', ended(137, { reason: 'OOMKilled' })),
    FRESH,
    'memory',
    /used more than its limit/,
  ],
  ['its node has evicted it', { phase: 'Failed', reason: 'Evicted', message: 'low on disk' }, FRESH, 'refused', /^Evicted: low on disk$/],
  ['it has been starting for long', waiting('model', 'ContainerCreating'), { creationTimestamp: time(-300) }, 'starting', /since/],
  ['it was deleted long ago', { phase: 'Running' }, { deletionTimestamp: time(-120) }, 'stuck', /its node is node-1/],
];

for (const [what, status, metadata, kind, why] of TABLE) {
  test(what, (t) => {
    const trouble = troubleOf(status, metadata);
    t.is(trouble?.kind, kind);
    t.regex(trouble?.why ?? '', why);
    t.is(trouble?.pod, 'answers-worker-0-0');
  });
}

test('the container is named, that of the preparation first', (t) => {
  const status = {
    phase: 'Pending',
    initContainerStatuses: [{ name: 'model', state: { waiting: { reason: 'ErrImagePull' } } }],
    containerStatuses: [{ name: 'worker', state: { waiting: { reason: 'ErrImagePull' } } }],
  };
  t.is(troubleOf(status, FRESH)?.container, 'model');
});

test('one that runs again after it has ended is in no trouble', (t) => {
  t.is(troubleOf({ phase: 'Running', containerStatuses: [{ name: 'model', state: { running: {} }, lastState: ended(1) }] }), null);
});

test('a pod that was deleted a moment ago is on its way', (t) => {
  t.is(troubleOf({ phase: 'Running' }, { deletionTimestamp: time(30) }), null);
});

import test from 'ava';
import { workerRows, workerTable } from '../../../../operator/cli/worker-rows.ts';
import { waiting, workerPodOf } from '../../../support/operator/pods.ts';
import { NOW } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';

const TOLD = [{ workerId: 'answers-worker-0-0', state: 'ready', running: 12, concurrency: 64, detail: '' }];

test('a worker is what its pod and the coordinator say', (t) => {
  t.deepEqual(workerRows([workerPodOf(0)], TOLD), [
    {
      ...{ name: 'answers-worker-0-0', node: 'node-1', phase: 'Running', state: 'ready', running: 12, concurrency: 64 },
      ...{ createdAt: time(-300), trouble: null },
    },
  ]);
});

test('one that the coordinator does not know is absent; where it was not asked, nothing is known', (t) => {
  t.is(workerRows([workerPodOf(1)], TOLD)[0]?.state, 'absent');
  t.is(workerRows([workerPodOf(1)], null)[0]?.state, null);
});

test('workers are in the order of their places and incarnations', (t) => {
  const pods = [workerPodOf(10), workerPodOf(2, {}, {}, 1), workerPodOf(2)];
  t.deepEqual(
    workerRows(pods, null).map(({ name }) => name),
    ['answers-worker-2-0', 'answers-worker-2-1', 'answers-worker-10-0'],
  );
});

test('a pod without a place is no worker', (t) => {
  t.deepEqual(workerRows([workerPodOf(0, {}, { labels: {} })], null), []);
});

test('what is wrong is told, that of the pod before that of the worker', (t) => {
  const detail = [{ workerId: 'answers-worker-0-0', state: 'not-ready', running: 0, concurrency: 64, detail: 'no model server' }];
  t.is(workerRows([workerPodOf(0)], detail)[0]?.trouble, 'no model server');
  t.regex(
    workerRows([workerPodOf(0, waiting('model', 'ImagePullBackOff'))], detail)[0]?.trouble ?? '',
    /container model: ImagePullBackOff/,
  );
});

test('the table, with a dash for what is not known', (t) => {
  const leaving = workerPodOf(1, { phase: 'Running' }, { deletionTimestamp: time(20) });
  t.deepEqual(workerTable(workerRows([workerPodOf(0), leaving], TOLD), NOW), [
    'WORKER               NODE     PHASE         STATE    ITEMS   AGE   TROUBLE',
    'answers-worker-0-0   node-1   Running       ready    12/64   5m',
    'answers-worker-1-0   node-1   Terminating   absent   -       5m',
  ]);
});

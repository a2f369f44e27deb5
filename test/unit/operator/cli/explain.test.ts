import test from 'ava';
import { refuse } from '../../../support/operator/kube-server.ts';
import { coordinatorPodOf, waiting, workerPodOf } from '../../../support/operator/pods.ts';
import { EVENTS, PODS, Stage } from '../../../support/operator/rollout-run.ts';
import { time } from '../../../support/operator/time.ts';

/** The verbs that look at the parts of a run: workers and explain. */

const condition = (type: string, status: string, reason: string, message = 'why'): object => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: time(-60),
});
const STATUS = {
  observedGeneration: 2,
  phase: 'Running',
  items: { total: 10, done: 4, failed: 1, running: 2 },
  workers: { desired: 2, ready: 2 },
  coordinator: { pod: 'answers-coordinator-1', epoch: 3, address: '10.0.0.1:50051' },
  conditions: [condition('InputReady', 'True', 'InputFound'), condition('Progressing', 'True', 'ItemsRunning')],
};
const WORKERS_PATH = `${PODS}/answers-coordinator-1:9464/proxy/workers`;

test('workers: pods, and what the coordinator says of them', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  for (const pod of [coordinatorPodOf(), workerPodOf(0), workerPodOf(1, waiting('model', 'ImagePullBackOff', 'not found'))])
    stage.server.put(PODS, pod);
  stage.server.answering.push(({ path }, response) => {
    if (path !== WORKERS_PATH) return undefined;
    response.end(
      JSON.stringify({ workers: [{ workerId: 'answers-worker-0-0', state: 'ready', running: 3, concurrency: 64, detail: '' }] }),
    );
    return true;
  });
  const { exit, out, err } = await stage.run(['workers', 'answers']);
  t.is(exit, 0);
  t.is(err, '');
  t.deepEqual(out.trimEnd().split('\n'), [
    'WORKER               NODE     PHASE     STATE    ITEMS   AGE   TROUBLE',
    'answers-worker-0-0   node-1   Running   ready    3/64    5m',
    'answers-worker-1-0   node-1   Pending   absent   -       5m    container model: ImagePullBackOff: not found',
  ]);
  t.like((JSON.parse((await stage.run(['workers', 'answers', '--json'])).out) as readonly object[])[0], {
    name: 'answers-worker-0-0',
    running: 3,
  });
});

test('workers: where the coordinator cannot be asked, that is said', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  stage.server.put(PODS, workerPodOf(0));
  const { exit, out, err } = await stage.run(['workers', 'answers']);
  t.is(exit, 0);
  t.regex(out, /answers-worker-0-0 +node-1 +Running +- +- +5m/);
  t.is(err, 'the coordinator could not be asked, so STATE and ITEMS are not known\n');
});

test('workers: none', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun();
  t.is(
    (await stage.run(['workers', 'answers'])).err,
    'answers has no workers now: `kubectl rollout-run explain answers -n team` says why\n',
  );
});

const event = (name: string, more: object): Parameters<Stage['server']['put']>[1] =>
  ({ metadata: { name, namespace: 'team' }, type: 'Warning', ...more }) as Parameters<Stage['server']['put']>[1];

test('explain: the causes, what helps, and what has happened', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun(
    {},
    {
      ...STATUS,
      phase: 'Pending',
      conditions: [condition('InputReady', 'True', 'InputFound'), condition('Progressing', 'False', 'WaitingForWorkers', 'none is ready')],
    },
  );
  for (const pod of [coordinatorPodOf(), workerPodOf(0, waiting('model', 'ImagePullBackOff', 'not found'))]) stage.server.put(PODS, pod);
  stage.server.put(
    EVENTS,
    event('e1', {
      reason: 'WaitingForWorkers',
      message: 'none is ready',
      involvedObject: { kind: 'RolloutRun', name: 'answers' },
      lastTimestamp: time(-30),
    }),
  );
  stage.server.put(
    EVENTS,
    event('e2', {
      reason: 'Failed',
      message: 'no image',
      involvedObject: { kind: 'Pod', name: 'answers-worker-0-0' },
      lastTimestamp: time(-20),
    }),
  );
  stage.server.put(
    EVENTS,
    event('e3', { reason: 'Other', message: 'of another', involvedObject: { kind: 'Pod', name: 'other' }, lastTimestamp: time(-20) }),
  );
  const { exit, out } = await stage.run(['explain', 'answers']);
  t.is(exit, 0);
  t.deepEqual(out.trimEnd().split('\n'), [
    'answers in team: Pending, 5/10 items, 4 done, 1 failed, 2 running, 2 of 2 workers ready',
    '',
    '1. Progressing is False (WaitingForWorkers): none is ready',
    '     kubectl rollout-run workers answers -n team',
    '     kubectl logs -n team -l rollout.run/run=answers,app.kubernetes.io/component=worker -c worker --tail=20',
    '',
    '2. answers-worker-0-0, container model, has no image: ImagePullBackOff: not found',
    '     kubectl describe pod answers-worker-0-0 -n team',
    '',
    'LAST   TYPE      REASON              OBJECT                   MESSAGE',
    '30s    Warning   WaitingForWorkers   RolloutRun/answers       none is ready',
    '20s    Warning   Failed              Pod/answers-worker-0-0   no image',
  ]);
  const json = JSON.parse((await stage.run(['explain', 'answers', '--json'])).out) as {
    readonly findings: readonly object[];
    readonly events: readonly object[];
  };
  t.deepEqual([json.findings.length, json.events.length], [2, 2]);
});

test('explain: nothing in the way, and events that may not be read', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  stage.server.put(PODS, coordinatorPodOf());
  stage.server.answering.push(({ path }, response) => {
    if (!path.startsWith(EVENTS)) return undefined;
    refuse(response, 403, 'Forbidden', 'no');
    return true;
  });
  const { exit, out } = await stage.run(['explain', 'answers']);
  t.is(exit, 0);
  t.regex(out, /\n\nNothing is seen that stands in its way\.\n$/);
});

import test from 'ava';
import type { ContainerStatus, Pod } from '../../../../operator/kube/kind.ts';
import { coordinatorView, freshAnswer, isOlder, lastWords } from '../../../../operator/rollout/coordinator-view.ts';
import { answerOf, NOW } from '../../../support/operator/run-world.ts';

type State = NonNullable<ContainerStatus['state']>;

function container(name: string, state: State, lastState: State = {}): ContainerStatus {
  return { name, state, lastState, image: '', imageID: '', ready: false, restartCount: 1 };
}

function pod(status: Pod['status'] = {}, metadata: object = {}): Pod {
  return { metadata: { name: 'a-coordinator-1', uid: 'c1', ...metadata }, spec: { containers: [], nodeName: 'node0' }, status };
}

const ended = (exitCode: number, message: string): State => ({ terminated: { exitCode, message } });

test('a pod that runs has an address and a node, and nothing is wrong with it', (t) => {
  const running = pod({ podIP: '10.0.0.1', containerStatuses: [container('coordinator', { running: {} }, ended(3, 'fenced'))] });
  t.deepEqual(coordinatorView(running), {
    name: 'a-coordinator-1',
    uid: 'c1',
    podIp: '10.0.0.1',
    node: 'node0',
    isTerminating: false,
    ends: [],
    waits: null,
  });
});

test('how a container ended is known while it waits for its next start', (t) => {
  const waiting = container('coordinator', { waiting: { reason: 'CrashLoopBackOff' } }, ended(2, 'rollout-coordinator: no such file'));
  t.deepEqual(coordinatorView(pod({ containerStatuses: [waiting] })).ends, [
    { container: 'coordinator', exitCode: 2, message: 'no such file' },
  ]);
});

test('the step that fetches the list ends as well; a container of somebody else does not count', (t) => {
  const { ends } = coordinatorView(
    pod({
      containerStatuses: [container('mesh-proxy', ended(1, 'x'))],
      initContainerStatuses: [container('input', ended(0, '')), container('mesh-init', ended(1, 'y'))],
    }),
  );
  t.deepEqual(ends, [{ container: 'input', exitCode: 0, message: '' }]);
});

test('a container that left no words is told by why it ended', (t) => {
  const killed = container('coordinator', { terminated: { exitCode: 137, reason: 'OOMKilled' } });
  t.deepEqual(coordinatorView(pod({ containerStatuses: [killed] })).ends, [
    { container: 'coordinator', exitCode: 137, message: 'OOMKilled' },
  ]);
});

test('a pod without a node waits for what the scheduler says, and one that is deleted is ending', (t) => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }];
  t.is(coordinatorView(pod({ conditions })).waits, '0/3 nodes are available');
  t.true(coordinatorView(pod({}, { deletionTimestamp: '2026-11-30T10:00:00Z' })).isTerminating);
});

test('of a log people are told the reason, or what the last line says', (t) => {
  t.is(lastWords('one\ntwo\n'), 'two');
  t.is(lastWords('rollout: cannot read /input/a: correct spec.input'), 'cannot read /input/a: correct spec.input');
  t.is(
    lastWords('{"level":50,"msg":"the run is paused; start with --resume to go on","reason":"3 items have failed, and 2 may"}\n'),
    '3 items have failed, and 2 may',
  );
  t.is(lastWords('{"msg":"no space"}'), 'no space');
  t.is(lastWords('{"level":50}'), '{"level":50}');
  for (const text of ['', 'null', '7', '[]']) t.is(lastWords(text), text);
});

test('what a process says of its end is told whole, in one line', (t) => {
  const refusal = `{"level":30,"msg":"health endpoints"}
rollout-coordinator: /state/input.jsonl has 1 bad line, and onInvalid is \`fail\`; nothing was executed:
  line 2: invalid_json: the line is not JSON
Correct them, or use \`record\`.
`;
  t.is(
    lastWords(refusal),
    '/state/input.jsonl has 1 bad line, and onInvalid is `fail`; nothing was executed: line 2: invalid_json: the line is not JSON ' +
      'Correct them, or use `record`.',
  );
});

test('an answer says something for ten seconds', (t) => {
  const answer = answerOf({}, NOW);
  t.is(freshAnswer(answer, NOW + 10_000), answer);
  t.is(freshAnswer(answer, NOW + 10_001), null);
  t.is(freshAnswer(null, NOW), null);
});

test('a pod that was there before the run is one of an earlier run of the name; within a second nobody knows', (t) => {
  const run = { metadata: { name: 'a', creationTimestamp: '2026-11-30T10:00:01Z' } };
  const times = ['2026-11-30T10:00:00Z', '2026-11-30T10:00:01Z', '2026-11-30T10:00:02Z'];
  t.deepEqual(
    times.map((creationTimestamp) => isOlder(pod({}, { creationTimestamp }), run)),
    [true, false, false],
  );
});

import test from 'ava';
import { REASON } from '../../../../operator/api/names.ts';
import { coordinatorRemedy, podRemedy, REASON_REMEDIES } from '../../../../operator/cli/remedies.ts';

const PLACE = { name: 'answers', namespace: 'team' };

test('each command names the run or its namespace, or is about a file or the operator', (t) => {
  for (const reason of Object.values(REASON)) {
    for (const command of REASON_REMEDIES[reason](PLACE)) {
      t.regex(command, /^(?:kubectl|helm|rollout) /, reason);
      t.regex(command, /answers|-n team|FILE|URL|-n rollout|cert-manager\.io/, reason);
    }
  }
});

const HELPED = [
  ...[REASON.inputNotFound, REASON.inputInvalid, REASON.coordinatorStarting, REASON.storeUnavailable],
  ...[REASON.waitingForWorkers, REASON.stalled, REASON.paused, REASON.workersMissing, REASON.suspended, REASON.nodesForbidden],
  ...[REASON.tooManyFailedItems, REASON.tooManyMissingWorkers, REASON.deadlineExceeded, REASON.coordinatorFailed],
];

test('what stops a run has a command that helps', (t) => {
  for (const reason of HELPED) t.true(REASON_REMEDIES[reason](PLACE).length > 0, reason);
});

test('a run that ended before its last item is gone on with by another one, of the lines that are left', (t) => {
  t.deepEqual(REASON_REMEDIES.DeadlineExceeded(PLACE), [
    'kubectl rollout-run results answers -n team --partial > so-far.jsonl',
    'kubectl rollout-run results answers -n team --remaining > left.jsonl',
    'kubectl get rrun answers -n team -o yaml > run.yaml',
    'kubectl rollout-run create answers-2 -n team -f left.jsonl --from-run-file run.yaml',
  ]);
  t.true(REASON_REMEDIES.TooManyFailedItems(PLACE).some((command) => command.includes('--remaining --failed > left.jsonl')));
});

test('what is well needs none', (t) => {
  for (const reason of [REASON.inputFound, REASON.leaseHeld, REASON.itemsRunning, REASON.ended])
    t.deepEqual(REASON_REMEDIES[reason](PLACE), []);
});

test('a pod is looked at, and a container that ended by its last log', (t) => {
  const trouble = { pod: 'p', container: 'model', why: '' };
  t.deepEqual(podRemedy({ ...trouble, kind: 'ended' }, 'team'), ['kubectl logs p -n team -c model --previous']);
  t.deepEqual(podRemedy({ ...trouble, kind: 'image' }, 'team'), ['kubectl describe pod p -n team']);
  t.deepEqual(podRemedy({ ...trouble, kind: 'unscheduled', container: null }, 'team'), [
    'kubectl describe pod p -n team',
    'kubectl get nodes',
  ]);
  t.deepEqual(coordinatorRemedy(PLACE), ['kubectl describe deployment answers-coordinator -n team']);
});

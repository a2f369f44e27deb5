import test from 'ava';
import type { RunStatus } from '../../../../operator/api/types.gen.ts';
import { barLine, listTable, phaseOf, plainLine, statusJson, statusPage } from '../../../../operator/cli/status-text.ts';
import { NOW, runOf } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';

const STATUS: RunStatus = {
  observedGeneration: 2,
  phase: 'Running',
  items: { total: 10, done: 4, failed: 1, running: 2 },
  rate: '0.5/s',
  eta: '10s',
  workers: { desired: 2, current: 2, ready: 2, draining: 0 },
  coordinator: { pod: 'answers-coordinator-1', epoch: 3 },
  conditions: [{ type: 'Progressing', status: 'True', reason: 'ItemsRunning', message: 'm', lastTransitionTime: time(-60) }],
};
const BORN = { creationTimestamp: time(-300) };
const STALLED = {
  type: 'Progressing',
  status: 'False',
  reason: 'Stalled',
  message: 'no worker answers',
  lastTransitionTime: time(-90),
} as const;

test('the page of a run that goes on', (t) => {
  t.deepEqual(statusPage(runOf({}, STATUS, BORN), NOW, false), [
    'answers in team: Running, 5m old',
    '  items: 10 in all, 4 done, 1 failed, 2 running, 3 to do',
    '  rate: 0.5/s, about 10s left',
    '  workers: 2 of 2 workers ready',
    '  coordinator: answers-coordinator-1, epoch 3',
  ]);
});

test('items that were executed again are told where there are any', (t) => {
  const items = { ...STATUS.items, redone: 3 };
  t.is(
    statusPage(runOf({}, { ...STATUS, items }, BORN), NOW, false)[1],
    '  items: 10 in all, 4 done, 1 failed, 2 running, 3 to do, 3 executed again',
  );
});

test('on a terminal it has a bar', (t) => {
  t.is(statusPage(runOf({}, STATUS, BORN), NOW, true)[1], `  ${'█'.repeat(15)}${'░'.repeat(15)} 50 %`);
});

test('before the list is read nothing is said of what is to do', (t) => {
  const page = statusPage(runOf({}, { ...STATUS, items: { done: 0, failed: 0, running: 0 }, rate: '', eta: '' }, BORN), NOW, true);
  t.deepEqual(page.slice(1, 3), [
    '  items: the list is not read to its end yet, 0 done, 0 failed, 0 running',
    '  workers: 2 of 2 workers ready',
  ]);
});

test('what is not as it should be is told with its age, and where to look further', (t) => {
  t.deepEqual(statusPage(runOf({}, { ...STATUS, conditions: [STALLED] }, BORN), NOW, false).slice(-2), [
    'Progressing is False (Stalled): no worker answers (for 90s)',
    '`kubectl rollout-run explain answers -n team` says what helps.',
  ]);
});

test('a run that nobody has seen yet, and a change that nobody has', (t) => {
  t.is(statusPage(runOf({}, undefined, BORN), NOW, false).at(-2), 'The operator has not seen the run yet.');
  t.is(
    statusPage(runOf({}, { ...STATUS, observedGeneration: 1 }, BORN), NOW, false).at(-1),
    'The operator has not seen the last change of the run yet.',
  );
});

test('a run that is complete names the command that fetches its results', (t) => {
  const complete = {
    type: 'Complete',
    status: 'True',
    reason: 'AllItemsDone',
    message: '10 items have a result',
    lastTransitionTime: time(0),
  } as const;
  t.deepEqual(statusPage(runOf({}, { ...STATUS, phase: 'Complete', rate: '', conditions: [complete] }, BORN), NOW, false).slice(-2), [
    '  ended: 10 items have a result (AllItemsDone)',
    '  fetch them with `kubectl rollout-run results answers -n team > answers.jsonl`',
  ]);
});

test('one line for a log, and one with a bar', (t) => {
  t.is(plainLine(runOf({}, STATUS)), 'Running, 5/10 items, 4 done, 1 failed, 2 running, 0.5/s, about 10s left, 2 of 2 workers ready');
  t.regex(barLine(0.5, runOf({}, STATUS)), /^█{15}░{15} {2}5\/10 items {2}4 done .* {2}Running$/);
  t.is(plainLine(runOf()), 'Pending, 0/? items, 0 done, 0 failed, 0 running, 0 of 0 workers ready');
});

test('a run that is being deleted says so, whatever its status says', (t) => {
  t.is(phaseOf(runOf({}, STATUS, { deletionTimestamp: time(0) })), 'Deleting');
});

test('the table of runs, with their namespaces where they are of several', (t) => {
  const runs = [runOf({}, STATUS, BORN), runOf({}, undefined, { ...BORN, name: 'b' })];
  t.deepEqual(listTable(runs, NOW, false), [
    'NAME      PHASE     PROGRESS   FAILED   RATE    ETA   WORKERS   AGE',
    'answers   Running   5/10       1        0.5/s   10s   2/2       5m',
    'b         Pending   0/?        0        -       -     0/0       5m',
  ]);
  t.regex(listTable(runs, NOW, true)[1] ?? '', /^team +answers/);
});

test('JSON has the counts as numbers, and null for a total that is not known', (t) => {
  t.like(statusJson(runOf({}, { ...STATUS, conditions: [STALLED] })), {
    name: 'answers',
    namespace: 'team',
    phase: 'Running',
    isObserved: true,
    items: { total: 10, done: 4, failed: 1, running: 2 },
    rate: '0.5/s',
    troubles: ['Progressing'],
  });
  t.like(statusJson(runOf()), { isObserved: false, items: { total: null, done: 0, failed: 0, running: 0 }, conditions: [] });
});

import test from 'ava';
import { refuse } from '../../../support/operator/kube-server.ts';
import { RUNS, Stage } from '../../../support/operator/rollout-run.ts';
import { runOf } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

/** The verbs that look at runs as a whole: status and list. */

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
const COMPLETE = {
  ...STATUS,
  phase: 'Complete',
  items: { total: 10, done: 9, failed: 1 },
  conditions: [condition('Complete', 'True', 'CompletedWithFailures', '9 items')],
};

test('status: the page, or JSON', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  const page = await stage.run(['status', 'answers']);
  t.is(page.exit, 0);
  t.regex(page.out, /^answers in team: Running, 10m old\n {2}items: 10 in all, 4 done/);
  t.notRegex(page.out, /█/);
  t.regex((await stage.run(['status', 'answers'], { isTerminal: true })).out, /█ *|░ 50 %/);
  t.like(JSON.parse((await stage.run(['status', 'answers', '--json'])).out), { name: 'answers', phase: 'Running', items: { done: 4 } });
});

test('status --watch: a line for each change, and what is in its way, until the run is over', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  const watching = stage.run(['status', 'answers', '--watch']);
  await until('it looks', PATIENCE_MS, () => stage.server.asked.length > 4);
  stage.putRun({}, { ...STATUS, conditions: [condition('Progressing', 'False', 'Stalled', 'no answer')] });
  const before = stage.server.asked.length;
  await until('it looks again', PATIENCE_MS, () => stage.server.asked.length > before + 2);
  stage.putRun({}, COMPLETE);
  const { exit, out } = await watching;
  t.is(exit, 0);
  t.deepEqual(out.trimEnd().split('\n'), [
    'Running, 5/10 items, 4 done, 1 failed, 2 running, 2 of 2 workers ready',
    'Progressing is False (Stalled): no answer',
    'Complete, 10/10 items, 9 done, 1 failed, 0 running, 2 of 2 workers ready',
  ]);
});

test('status --watch --json: a line for each change', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  const watching = stage.run(['status', 'answers', '--watch', '--json']);
  await until('it looks', PATIENCE_MS, () => stage.server.asked.length > 4);
  stage.putRun({}, COMPLETE);
  const phases = (await watching).out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly phase: string }).phase);
  t.deepEqual(phases, ['Running', 'Complete']);
});

test('status --watch ends with Ctrl-C, and when the run is gone', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  const interrupted = stage.run(['status', 'answers', '--watch']);
  await until('it looks', PATIENCE_MS, () => stage.server.asked.length > 2);
  for (const handle of stage.onInterrupt) handle();
  t.is((await interrupted).exit, 0);
  t.is(stage.onInterrupt.size, 0);
  const before = stage.server.asked.length;
  const watching = stage.run(['status', 'answers', '--watch']);
  await until('it looks again', PATIENCE_MS, () => stage.server.asked.length > before + 2);
  stage.server.objects.delete(`${RUNS}/answers`);
  const { exit, out } = await watching;
  t.is(exit, 0);
  t.regex(out, /answers is gone\n$/);
});

test('status --watch waits for a server that is away for a while', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  let refused = 0;
  stage.server.answering.push((_, response) => {
    if (stage.server.asked.length < 3 || refused >= 3) return undefined;
    refused += 1;
    if (refused === 3) stage.putRun({}, COMPLETE);
    refuse(response, 503, 'ServiceUnavailable', 'starting');
    return true;
  });
  const { exit, err } = await stage.run(['status', 'answers', '--watch']);
  t.is(exit, 0);
  t.is(err, 'the API server does not answer: looking again\n');
});

test('a server that stays away ends the watch with 4', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun({}, STATUS);
  stage.server.answering.push((_, response) => {
    if (stage.server.asked.length < 3) return undefined;
    refuse(response, 503, 'ServiceUnavailable', 'starting');
    return true;
  });
  const { exit, err } = await stage.run(['status', 'answers', '--watch']);
  t.is(exit, 4);
  t.regex(err, /is in trouble \(.*starting\): try again\n$/);
});

test('list: the runs of the namespace, of all namespaces, and none', async (t) => {
  const stage = await Stage.open(t);
  t.deepEqual(await stage.run(['list']), { exit: 0, out: '', err: 'there is no RolloutRun in the namespace team\n' });
  stage.putRun({}, STATUS);
  stage.server.put(
    RUNS.replace('/team/', '/other/'),
    runOf({}, undefined, { name: 'b', namespace: 'other', creationTimestamp: time(-60) }),
  );
  t.is((await stage.run(['list'])).out.split('\n').length, 3);
  const all = (await stage.run(['list', '-A'])).out;
  t.regex(all, /^NAMESPACE +NAME/);
  t.regex(all, /^team +answers +Running/m);
  t.regex(all, /^other +b +Pending/m);
  const { length } = JSON.parse((await stage.run(['list', '-A', '--json'])).out) as readonly object[];
  t.is(length, 2);
});

test('list reads all pages', async (t) => {
  const stage = await Stage.open(t);
  for (let at = 0; at < 1_100; at += 1) stage.server.put(RUNS, runOf({}, undefined, { name: `run-${at}` }));
  t.is((await stage.run(['list'])).out.trimEnd().split('\n').length, 1_101);
  t.is(stage.server.asked.length, 3);
});

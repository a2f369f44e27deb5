import test from 'ava';
import { workerPodOf } from '../../../support/operator/pods.ts';
import { PODS, RUNS, Stage } from '../../../support/operator/rollout-run.ts';
import { time } from '../../../support/operator/time.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

/** The verbs that change or end something: drain, suspend, resume, cancel; and wait. */

const condition = (type: string, reason = 'Reason', message = 'why'): object => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: time(-60),
});
const status = (...conditions: readonly object[]): object => ({
  observedGeneration: 9,
  phase: 'Running',
  items: { total: 10, done: 4, failed: 1 },
  conditions,
});

const WORKER = 'answers-worker-0-0';

async function stageWith(t: Parameters<typeof Stage.open>[0], spec: object = {}, of: object = status()): Promise<Stage> {
  const stage = await Stage.open(t);
  stage.putRun(spec, of);
  stage.server.put(PODS, workerPodOf(0));
  return stage;
}

const deletion = (stage: Stage): object => JSON.parse(stage.server.asked.find(({ method }) => method === 'DELETE')?.body ?? '{}') as object;

test('drain: the very pod is deleted, and both are said: that it drains, and that its successor comes', async (t) => {
  const stage = await stageWith(t);
  const { exit, out } = await stage.run(['drain', 'answers', WORKER]);
  t.is(exit, 0);
  t.is(
    out,
    `${WORKER} has been told to leave: it takes nothing new, finishes what it can and hands the rest back; it is killed after 60 s\nits successor comes by itself\n${WORKER} has left\n`,
  );
  t.like(deletion(stage), { preconditions: { uid: `uid-${WORKER}` } });
  t.false('gracePeriodSeconds' in deletion(stage));
});

test('drain: a deadline is the time until it is killed', async (t) => {
  const stage = await stageWith(t);
  const { out } = await stage.run(['drain', 'answers', WORKER, '--deadline', '1500ms', '--no-wait']);
  t.regex(out, /killed after 2 s/);
  t.like(deletion(stage), { gracePeriodSeconds: 2 });
  t.regex((await stage.run(['drain', 'answers', WORKER, '--deadline', '0s'])).err, /it must be longer than 0/);
});

test('drain: where no successor comes, it is said why', async (t) => {
  const table: readonly (readonly [spec: object, of: object, says: RegExp])[] = [
    [{ suspend: true }, status(), /no successor comes: answers is suspended/],
    [{ workers: { parallelism: 0 } }, status(), /no successor comes: answers is to have 0 workers/],
    [{}, status(condition('Complete')), /no successor comes: answers is over/],
  ];
  for (const [spec, of, says] of table)
    t.regex((await (await stageWith(t, spec, of)).run(['drain', 'answers', WORKER, '--no-wait'])).out, says);
});

test('drain: one that is leaving already is not told again, and is waited for', async (t) => {
  const stage = await stageWith(t);
  stage.server.put(PODS, workerPodOf(0, { phase: 'Running' }, { deletionTimestamp: time(30) }));
  const draining = stage.run(['drain', 'answers', WORKER]);
  await until('it waits', PATIENCE_MS, () => stage.server.asked.length > 4);
  stage.server.objects.delete(`${PODS}/${WORKER}`);
  const { exit, out } = await draining;
  t.is(exit, 0);
  t.regex(out, new RegExp(`^${WORKER} is leaving already\n.*\n${WORKER} has left\n$`));
  t.deepEqual(stage.server.changes, []);
});

test('drain: one that does not leave ends the wait with 4, and Ctrl-C with 130', async (t) => {
  const stage = await stageWith(t);
  stage.server.put(PODS, workerPodOf(0, { phase: 'Running' }, { deletionTimestamp: time(30) }));
  const { exit, err } = await stage.run(['drain', 'answers', WORKER, '--deadline', '1s']);
  t.is(exit, 4);
  t.regex(err, new RegExp(`${WORKER} has not left in time: \`kubectl describe pod ${WORKER} -n team\``));
  const before = stage.server.asked.length;
  const draining = stage.run(['drain', 'answers', WORKER]);
  await until('it waits', PATIENCE_MS, () => stage.server.asked.length > before + 3);
  for (const handle of stage.onInterrupt) handle();
  t.is((await draining).exit, 130);
});

test('drain: a pod that is no worker of the run is left alone', async (t) => {
  const stage = await stageWith(t);
  stage.server.put(PODS, { ...workerPodOf(0), metadata: { name: 'other', labels: { 'rollout.run/run': 'other' } } });
  for (const name of ['other', 'none']) {
    const { exit, err } = await stage.run(['drain', 'answers', name]);
    t.is(exit, 2);
    t.is(err, `rollout-run: no worker ${name} works on answers; these do: ${WORKER}\n`);
  }
  t.deepEqual(stage.server.changes, []);
});

test('drain --json tells the two states', async (t) => {
  const { out } = await (await stageWith(t)).run(['drain', 'answers', WORKER, '--json']);
  t.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
    [
      { worker: WORKER, state: 'draining' },
      { worker: WORKER, state: 'left' },
    ],
  );
});

const specOf = (stage: Stage): object => (stage.server.objects.get(`${RUNS}/answers`) as unknown as { readonly spec: object }).spec;

test('suspend and resume patch the run, and say what follows', async (t) => {
  const stage = await stageWith(t);
  const suspended = await stage.run(['suspend', 'answers']);
  t.is(suspended.out, 'answers is being suspended: its workers hand back what they have, and leave; what is recorded is kept\n');
  t.like(specOf(stage), { suspend: true, workers: { parallelism: 2 } });
  t.is((await stage.run(['suspend', 'answers'])).out, 'answers was suspended before\n');
  t.is((await stage.run(['resume', 'answers'])).out, 'answers goes on: its coordinator is started, and then its workers\n');
  t.like(specOf(stage), { suspend: false });
  t.is((await stage.run(['resume', 'answers'])).out, 'answers was not suspended before\n');
  t.is(stage.server.changes.length, 2);
});

test('suspend --wait ends when no worker is left', async (t) => {
  const stage = await stageWith(t);
  const suspending = stage.run(['suspend', 'answers', '--wait']);
  await until('it waits', PATIENCE_MS, () => stage.server.asked.length > 4);
  stage.putRun({ suspend: true }, status(condition('Suspended', 'Suspended')));
  const { exit, out } = await suspending;
  t.is(exit, 0);
  t.regex(out, /\nanswers: Suspended \(Suspended\)\n$/);
});

test('suspend --wait gives up after its time', async (t) => {
  const { exit, err } = await (await stageWith(t)).run(['suspend', 'answers', '--wait', '--timeout', '2s']);
  t.is(exit, 4);
  t.regex(err, /answers is not Suspended after 2s: `kubectl rollout-run explain answers -n team`/);
});

test('a run that is over is neither suspended nor resumed', async (t) => {
  const stage = await stageWith(t, {}, { ...status(condition('Complete')), phase: 'Complete' });
  for (const verb of ['suspend', 'resume']) {
    const { exit, err } = await stage.run([verb, 'answers']);
    t.is(exit, 2);
    t.is(err, `rollout-run: answers is over (Complete): it cannot be ${verb}${verb === 'resume' ? 'd' : 'ed'} any more\n`);
  }
});

test('cancel asks, and says what is lost', async (t) => {
  const stage = await stageWith(t);
  const { exit, out, err } = await stage.run(['cancel', 'answers'], { canAsk: true, input: 'y\n' });
  t.is(exit, 0);
  t.is(out, 'answers is being deleted\n');
  t.regex(
    err,
    /with a record of 5 of 10 items\.\nAll results so far are LOST: .*\n.*answers-state\) is deleted\.\nDelete answers\? \[y\/N\] $/,
  );
  t.false(stage.server.objects.has(`${RUNS}/answers`));
  t.like(deletion(stage), { propagationPolicy: 'Background', preconditions: { uid: '0193746f-8b1c-7e2a-9f00-5d2b1c3a4e5f' } });
});

test('cancel: everything but yes is no', async (t) => {
  for (const input of ['n\n', '\n', '', 'yes please\n']) {
    const stage = await stageWith(t);
    const { exit, err } = await stage.run(['cancel', 'answers'], { canAsk: true, input });
    t.is(exit, 2, JSON.stringify(input));
    t.regex(err, /Nothing was deleted\.\n$/);
    t.deepEqual(stage.server.changes, []);
  }
});

test('cancel: where nobody can be asked, --yes has to be given', async (t) => {
  const stage = await stageWith(t);
  const asked = await stage.run(['cancel', 'answers']);
  t.is(asked.exit, 2);
  t.regex(asked.err, /nobody can be asked here: add --yes/);
  t.is((await stage.run(['cancel', 'answers', '--yes', '--wait'])).out, 'answers is being deleted\nanswers is gone\n');
});

test('wait: the exit code says how it ended', async (t) => {
  const table: readonly (readonly [of: object, exit: number, text: RegExp])[] = [
    [
      { ...status(condition('Complete')), items: { total: 4, done: 4, failed: 0 } },
      0,
      /^answers is complete: 4 items have a result, 0 have failed\n$/,
    ],
    [status(condition('Complete')), 1, /4 items have a result, 1 have failed/],
    [status(condition('Failed', 'DeadlineExceeded')), 5, /^answers has failed \(DeadlineExceeded\): why\n$/],
  ];
  for (const [of, exit, text] of table) {
    const stage = await stageWith(t);
    const waiting = stage.run(['wait', 'answers']);
    await until('it waits', PATIENCE_MS, () => stage.server.asked.length > 3);
    stage.putRun({}, of);
    const ended = await waiting;
    t.is(ended.exit, exit);
    t.regex(ended.out, text);
  }
});

test('wait: for another condition, in time or not, and by Ctrl-C', async (t) => {
  const stage = await stageWith(t, {}, status(condition('CoordinatorAvailable', 'LeaseHeld')));
  t.is((await stage.run(['wait', 'answers', '--for', 'coordinatoravailable'])).out, 'answers: CoordinatorAvailable (LeaseHeld)\n');
  t.is((await stage.run(['wait', 'answers', '--for', 'Suspended', '--timeout', '1s'])).exit, 4);
  t.regex((await stage.run(['wait', 'answers', '--for', 'Ready'])).err, /give one of InputReady, .*Deleted/);
  const before = stage.server.asked.length;
  const waiting = stage.run(['wait', 'answers']);
  await until('it waits', PATIENCE_MS, () => stage.server.asked.length > before + 2);
  for (const handle of stage.onInterrupt) handle();
  t.is((await waiting).exit, 130);
});

test('wait: a run that is deleted meanwhile', async (t) => {
  const stage = await stageWith(t);
  const waiting = stage.run(['wait', 'answers', '--json']);
  await until('it waits', PATIENCE_MS, () => stage.server.asked.length > 3);
  stage.server.objects.delete(`${RUNS}/answers`);
  const { exit, out } = await waiting;
  t.is(exit, 5);
  t.deepEqual(JSON.parse(out), { name: 'answers', for: 'Complete', exit: 5, text: 'answers was deleted' });
});

test('a call under way does not hold an interrupted wait', async (t) => {
  const stage = await stageWith(t);
  // The server is silent from the second look on.
  stage.server.answering.push(() => stage.server.asked.length > 2);
  const waiting = stage.run(['wait', 'answers']);
  await until('it asks', PATIENCE_MS, () => stage.server.asked.length > 2);
  for (const handle of stage.onInterrupt) handle();
  t.is((await waiting).exit, 130);
});

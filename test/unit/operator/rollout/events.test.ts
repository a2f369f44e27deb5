import test from 'ava';
import type { RunStatus } from '../../../../operator/api/types.gen.ts';
import { eventsOf } from '../../../../operator/rollout/events.ts';
import { planRun } from '../../../../operator/rollout/plan.ts';
import { answerOf, PODS, runOf, seenOf } from '../../../support/operator/run-world.ts';

const statusOf = (more: Parameters<typeof seenOf>[0]): RunStatus => planRun(seenOf(more), PODS).status ?? {};
const told = (before: RunStatus | undefined, after: RunStatus): readonly string[] =>
  eventsOf(before, after).map(({ type, reason }) => `${type} ${reason}`);

test('each transition is told once, and a status that says the same is not told', (t) => {
  const waiting = statusOf({ answer: null });
  t.deepEqual(told(undefined, waiting), ['Normal InputFound']);
  const working = statusOf({ run: runOf({}, waiting) });
  t.deepEqual(told(waiting, working), ['Normal LeaseHeld', 'Normal ItemsRunning']);
  t.deepEqual(told(working, statusOf({ run: runOf({}, working), answer: answerOf({ done: 8 }) })), []);
  const stalled = statusOf({ run: runOf({}, working), answer: answerOf({ stall: { sinceMs: 1, why: 'no server answers' } }) });
  t.deepEqual(told(working, stalled), ['Warning Stalled']);
  t.deepEqual(
    told(working, statusOf({ run: runOf({}, working), answer: answerOf({ state: { kind: 'completed' }, done: 9, failed: 1 }) })),
    ['Normal CompletedWithFailures'],
  );
});

test('an input that is not there is a warning', (t) => {
  const input = { kind: 'missing', message: 'there is no ConfigMap prompts' } as const;
  t.deepEqual(told(undefined, statusOf({ input, hasDeployment: false, coordinators: [], workers: [], answer: null })), [
    'Warning InputNotFound',
  ]);
});

test('what a run lacks is a warning, and what it has again is none', (t) => {
  const workers = { ...runOf().spec.workers, maxMissing: 0 };
  const missing = answerOf({ workers: answerOf().status.workers.slice(0, 1) });
  const whole = statusOf({ run: runOf({ workers }) });
  const torn = statusOf({ run: runOf({ workers }, whole), answer: missing });
  t.deepEqual(told(whole, torn), ['Warning WorkersMissing']);
  t.deepEqual(told(torn, statusOf({ run: runOf({ workers }, torn) })), ['Normal EnoughWorkers']);
});

test('that nodes are not watched holds for all runs of an operator, and is told of none', (t) => {
  const narrow = statusOf({ watchesNodes: false });
  t.false(told(undefined, narrow).some((one) => one.includes('Nodes')));
  t.deepEqual(told(narrow, statusOf({ run: runOf({}, narrow) })), ['Normal NodesWatched']);
});

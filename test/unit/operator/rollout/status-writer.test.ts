import test from 'ava';
import { ROLLOUT_RUN } from '../../../../operator/api/run.ts';
import type { RunStatus } from '../../../../operator/api/types.gen.ts';
import { ApiError } from '../../../../operator/kube/api-error.ts';
import { planRun } from '../../../../operator/rollout/plan.ts';
import { COUNTS_MS } from '../../../../operator/rollout/status-due.ts';
import { StatusWriter } from '../../../../operator/rollout/status-writer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { answerOf, PODS, runOf, seenOf } from '../../../support/operator/run-world.ts';

function stage() {
  const [cluster, clock, told] = [new MemoryCluster(), new ManualClock(), [] as string[]];
  cluster.put(ROLLOUT_RUN, runOf());
  const writer = new StatusWriter(cluster, { record: ({ reason }) => told.push(`${reason} after ${cluster.writes.length}`) }, clock);
  return { cluster, clock, told, writer };
}

const statusAt = (before: RunStatus | undefined, done: number): RunStatus =>
  planRun(seenOf({ run: runOf({}, before), answer: answerOf({ done }) }), PODS).status ?? {};

test('a status is written once, and events follow what is written', async (t) => {
  const { cluster, told, writer } = stage();
  const first = statusAt(undefined, 4);
  await writer.write(runOf(), first);
  t.deepEqual(cluster.writes, ['apply RolloutRun answers status']);
  t.deepEqual(told, ['InputFound after 1', 'LeaseHeld after 1', 'ItemsRunning after 1']);
  await writer.write(runOf({}, first), first);
  t.deepEqual([cluster.writes.length, told.length], [1, 3]);
  t.deepEqual(cluster.find(ROLLOUT_RUN, { namespace: 'team', name: 'answers' })?.status, first);
});

test('counts wait until the last write is five seconds old, each run by itself; a change of state does not', async (t) => {
  const { cluster, clock, writer } = stage();
  const first = statusAt(undefined, 4);
  await writer.write(runOf(), first);
  clock.jump(COUNTS_MS - 1);
  await writer.write(runOf({}, first), statusAt(first, 5));
  t.is(cluster.writes.length, 1);
  const other = runOf({}, first, { name: 'other', uid: '11111111-1111-1111-1111-111111111111' });
  await writer.write(other, statusAt(first, 5));
  t.is(cluster.writes.at(-1), 'apply RolloutRun other status');
  await writer.write(runOf({}, first), { ...first, phase: 'Draining' });
  t.is(cluster.writes.length, 3);
  clock.jump(COUNTS_MS);
  await writer.write(runOf({}, first), statusAt(first, 6));
  t.is(cluster.writes.length, 4);
});

test('of a run that has been deleted meanwhile nothing is told, and no error is made of it', async (t) => {
  const { cluster, told, writer } = stage();
  Object.assign(cluster, { apply: async () => Promise.reject(new ApiError(404, 'not found', { reason: 'NotFound' })) });
  t.is(await writer.write(runOf(), statusAt(undefined, 4)), 'gone');
  t.deepEqual(told, []);
});

test('what is not written is not told, and is tried again', async (t) => {
  const { cluster, told, writer } = stage();
  const apply = cluster.apply.bind(cluster);
  cluster.apply = async () => Promise.reject(new Error('refused'));
  const first = statusAt(undefined, 4);
  await t.throwsAsync(writer.write(runOf(), first), { message: 'refused' });
  t.deepEqual(told, []);
  cluster.apply = apply;
  await writer.write(runOf(), first);
  t.is(told.length, 3);
});

test('a cache that is behind the last write tells nothing twice, for ten seconds', async (t) => {
  const { cluster, clock, told, writer } = stage();
  const first = statusAt(undefined, 4);
  t.deepEqual(writer.latest(runOf()), runOf());
  await writer.write(runOf(), first);
  t.deepEqual(writer.latest(runOf()).status, first);
  await writer.write(writer.latest(runOf()), first);
  t.deepEqual([cluster.writes.length, told.length], [1, 3]);
  const other = { ...first, phase: 'Draining' };
  t.deepEqual(writer.latest(runOf({}, other)).status, other, 'somebody else has written it');
  clock.jump(10_001);
  t.is(writer.latest(runOf()).status, undefined);
});

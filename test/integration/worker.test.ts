import test from 'ava';
import { assignments, keysOf, startFakeCoordinator } from '../support/fake-coordinator.ts';
import { scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { startWorker } from '../support/worker-process.ts';

const QUICK = { heartbeatInterval: '100ms', workerSelfFenceTimeout: '800ms', coordinatorFailureTimeout: '1s', clockSkewBudget: '50ms' };

test('a worker executes what it is handed, hands over every outcome once, and ends when the run is finished', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.hand(assignments(200));
  const worker = startWorker(t, dir, [coordinator.address], { settings: { concurrency: 16, timing: QUICK } });
  await until('all outcomes', 20_000, () => coordinator.heard.outcomes.length >= 200);
  coordinator.order = 'finished';
  t.is(await worker.ended(), 0, worker.stderr());
  t.is(coordinator.heard.outcomes.length, 200, 'none was handed over twice');
  t.deepEqual(keysOf(coordinator.heard.outcomes), keysOf(assignments(200)));
  const line = JSON.parse(Buffer.from(coordinator.heard.outcomes.find((one) => one.index === 7)?.line ?? []).toString('utf8'));
  t.like(line, { custom_id: 'item-7', error: null, response: { status_code: 200 } });
  t.is(line.response.body.choices[0].message.content, 'item-7');
  t.like(coordinator.heard.deregistrations, [{ workerId: 'w1', isClean: true }]);
  t.is(coordinator.heard.beats[0]?.beat.state, 'init', 'the first beat registers');
  t.true(coordinator.heard.polls.every((poll) => poll.outcomes.length + poll.returns.length <= 4_096));
});

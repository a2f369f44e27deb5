import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { finished, startCommand } from '../support/command.ts';
import { assignments, keysOf, startFakeCoordinator } from '../support/fake-coordinator.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { startWorker } from '../support/worker-process.ts';

const QUICK = { heartbeatInterval: '100ms', workerSelfFenceTimeout: '800ms', coordinatorFailureTimeout: '1s', clockSkewBudget: '50ms' };

test.serial('a worker executes what it is handed, hands over every outcome once, and ends when the run is finished', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.hand(assignments(200));
  const worker = startWorker(t, dir, [coordinator.address], { settings: { concurrency: 16, timing: QUICK } });
  await until('all outcomes', PATIENCE_MS, () => coordinator.heard.outcomes.length >= 200);
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

test.serial('L34: killed with unacknowledged outcomes, the next process hands them over and executes none of them again', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.isAcknowledging = false;
  coordinator.hand(assignments(20));
  const settings = { concurrency: 32, timing: QUICK };
  const first = startWorker(t, dir, [coordinator.address], { settings });
  await until('all outcomes', PATIENCE_MS, () => coordinator.heard.outcomes.length >= 20);
  first.kill('SIGKILL');
  await first.ended();
  const before = coordinator.heard.polls.length;
  coordinator.isAcknowledging = true;
  const second = startWorker(t, dir, [coordinator.address], { settings });
  await until('all outcomes again', PATIENCE_MS, () => coordinator.heard.outcomes.length >= 40);
  coordinator.order = 'finished';
  t.is(await second.ended(), 0, second.stderr());
  const hello = coordinator.heard.polls[before]?.hello ?? [];
  t.deepEqual(new Set(hello.map((one) => one.state)), new Set(['finished']));
  t.is(hello.length, 20);
  const [lines, again] = [coordinator.heard.outcomes.slice(0, 20), coordinator.heard.outcomes.slice(20)];
  t.deepEqual(keysOf(again), keysOf(lines));
  t.is(again.length, 20);
});

test.serial(
  'a coordinator that is away and comes back under a higher epoch: the worker fences itself, then hands over what it has',
  async (t) => {
    const dir = scratch(t);
    const first = await startFakeCoordinator(t, dir);
    first.hand(assignments(4));
    const worker = startWorker(t, dir, [first.address], {
      settings: { concurrency: 1, prefetch: 3, backend: { type: 'mock', latency: '700ms' }, timing: QUICK },
    });
    await until('one outcome', PATIENCE_MS, () => first.heard.outcomes.length >= 1);
    await first.stop();
    // Longer than the self-fence timeout: of the items still held at most the started one ends, and one may have started before.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const second = await startFakeCoordinator(t, dir, first.port);
    second.epoch = 1;
    await until('a hello', PATIENCE_MS, () => second.heard.polls.some((poll) => poll.hello !== null));
    const hello = second.heard.polls.find((poll) => poll.hello !== null)?.hello ?? [];
    t.true(
      hello.some((one) => one.state === 'queued'),
      `something waited for the hello: ${JSON.stringify(hello)}`,
    );
    t.true(
      hello.some((one) => one.state === 'finished'),
      'what ran was not aborted',
    );
    await until('the rest', PATIENCE_MS, () => keysOf([...first.heard.outcomes, ...second.heard.outcomes]).length >= 4);
    second.order = 'finished';
    t.is(await worker.ended(), 0, worker.stderr());
    t.is(second.heard.polls.at(-1)?.highestEpoch, 1);
  },
);

test.serial('SIGTERM drains: draining is said first, what has not started goes back, what has started is finished', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.hand(assignments(4));
  const worker = startWorker(t, dir, [coordinator.address], {
    settings: { concurrency: 2, prefetch: 2, backend: { type: 'mock', latency: '1500ms' }, timing: QUICK },
  });
  await until('work', PATIENCE_MS, () => coordinator.heard.polls.some((poll) => poll.acknowledgedBatch > 0));
  worker.kill('SIGTERM');
  t.is(await worker.ended(), 0, worker.stderr());
  t.deepEqual(
    coordinator.heard.returns.map((one) => [one.index, one.reason]),
    [
      [2, 'drained'],
      [3, 'drained'],
    ],
  );
  t.deepEqual(keysOf(coordinator.heard.outcomes), ['0/1', '1/1']);
  t.true(coordinator.heard.beats.some(({ beat }) => beat.state === 'draining'));
  t.like(coordinator.heard.deregistrations, [{ isClean: true }]);
});

test.serial('what does not end within the drain timeout goes back too', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.hand(assignments(1));
  const worker = startWorker(t, dir, [coordinator.address], {
    settings: { concurrency: 1, terminationGracePeriod: '400ms', backend: { type: 'mock', latency: '60s' }, timing: QUICK },
  });
  await until('work', PATIENCE_MS, () => coordinator.heard.polls.some((poll) => poll.acknowledgedBatch > 0));
  worker.kill('SIGTERM');
  t.is(await worker.ended(), 0, worker.stderr());
  t.like(coordinator.heard.returns, [{ index: 0, reason: 'drained' }]);
  t.is(coordinator.heard.outcomes.length, 0, 'L36: no outcome of what was handed back');
});

test.serial('a second signal ends at once', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.hand(assignments(1));
  const worker = startWorker(t, dir, [coordinator.address], { settings: { backend: { type: 'mock', latency: '60s' }, timing: QUICK } });
  await until('work', PATIENCE_MS, () => coordinator.heard.polls.some((poll) => poll.acknowledgedBatch > 0));
  worker.kill('SIGTERM');
  await until('draining', PATIENCE_MS, () => coordinator.heard.beats.some(({ beat }) => beat.state === 'draining'));
  worker.kill('SIGTERM');
  t.is(await worker.ended(), 130);
});

test.serial('L26: a worker whose id another process has taken ends with an explanation', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  coordinator.isSuperseding = true;
  const worker = startWorker(t, dir, [coordinator.address], { settings: { timing: QUICK } });
  t.is(await worker.ended(), 2);
  t.regex(worker.stderr(), /another process has registered as worker w1/);
});

test.serial('a backend that is never ready: exit 4, with its address and what was tried', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const port = await freePort();
  const worker = startWorker(t, dir, [coordinator.address], {
    settings: { waitBackend: '500ms', backend: { type: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` }, timing: QUICK },
  });
  t.is(await worker.ended(), 4, worker.stderr());
  t.regex(
    worker.stderr(),
    new RegExp(
      `the backend at http://127.0.0.1:${port}/v1 was not ready within \\S+ \\(--wait-backend, or waitBackend in a settings file\\)`,
    ),
  );
  t.regex(worker.stderr(), /ECONNREFUSED/);
  t.true(coordinator.heard.polls.every((poll) => poll.capacity === 0));
});

test.serial('a worker whose coordinator never comes gives up: exit 4, with the addresses', async (t) => {
  const dir = scratch(t);
  await startFakeCoordinator(t, dir);
  const address = `127.0.0.1:${await freePort()}`;
  const [config, tls] = [join(dir, 'alone.yaml'), { dir: join(dir, 'tls') }];
  const settings = { coordinators: [address], workerId: 'alone', stateDir: join(dir, 'alone'), tls, backend: { type: 'mock' } };
  writeFileSync(config, JSON.stringify({ ...settings, waitCoordinator: '2s', timing: QUICK }));
  const { exit, stderr } = await finished(startCommand('worker', ['--config', config], { cwd: dir }));
  t.is(exit, 4, stderr);
  t.regex(stderr, new RegExp(`no coordinator answered at ${address} within waitCoordinator`));
});

test.serial('a server that goes away: unstarted items go back, nothing is claimed until it answers again', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const server = await modelServer(t, async () => ({ kind: 'ok', afterMs: 100 }));
  coordinator.hand(assignments(40));
  const worker = startWorker(t, dir, [coordinator.address], {
    settings: { concurrency: 2, prefetch: 4, backend: { type: 'openai', baseUrl: server.url }, timing: QUICK },
  });
  await until('some outcomes', PATIENCE_MS, () => coordinator.heard.outcomes.length >= 4);
  await server.close();
  await until('it says so', PATIENCE_MS, () => coordinator.heard.beats.some(({ beat }) => beat.state === 'not-ready'));
  await until('it says why', PATIENCE_MS, () =>
    coordinator.heard.beats.some(({ beat }) => /^http:.*REFUSED.*; tried again every few seconds/.test(beat.detail)),
  );
  await until('items go back', PATIENCE_MS, () => coordinator.heard.returns.some((one) => one.reason === 'unavailable'));
  const outcomes = coordinator.heard.outcomes.length;
  await modelServer(t, undefined, server.port);
  await until('it works again', PATIENCE_MS, () => coordinator.heard.outcomes.length > outcomes + 4);
  coordinator.order = 'finished';
  t.is(await worker.ended(), 0, worker.stderr());
  t.true(coordinator.heard.outcomes.every((one) => one.kind === 'result' || one.code === 'connection_reset'));
});

test.serial('without an address the worker waits for its parent to tell one; nothing of that is a warning', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const worker = startWorker(t, dir, [], { settings: { timing: QUICK } });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.is(coordinator.heard.beats.length, 0);
  worker.tell({ kind: 'coordinators', addresses: [coordinator.address] });
  await until('a first poll', PATIENCE_MS, () => coordinator.heard.polls.length > 0);
  coordinator.order = 'finished';
  t.is(await worker.ended(), 0, worker.stderr());
  t.notRegex(worker.stderr(), /"level":(?:40|50)/);
  t.is(worker.stderr().match(/registered with the coordinator/g)?.length, 1);
});

test.serial('the parent names another coordinator, and the worker goes there; the parent dies, and the worker ends at once', async (t) => {
  const dir = scratch(t);
  const first = await startFakeCoordinator(t, dir);
  const worker = startWorker(t, dir, [first.address], { settings: { timing: QUICK } });
  await until('a first poll', PATIENCE_MS, () => first.heard.polls.length > 0);
  const second = await startFakeCoordinator(t, dir);
  second.epoch = 1;
  worker.tell({ kind: 'coordinators', addresses: [second.address] });
  await first.stop();
  await until('a hello at the second', PATIENCE_MS, () => second.heard.polls.some((poll) => poll.hello !== null));
  second.hand(assignments(3));
  await until('work', PATIENCE_MS, () => second.heard.outcomes.length >= 3);
  worker.leave();
  t.is(await worker.ended(), 130);
});

test.serial('a parent that dies while the worker is only starting is noticed all the same', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const worker = startWorker(t, dir, [coordinator.address], { settings: { timing: QUICK } });
  worker.leave();
  t.is(await worker.ended(), 130, worker.stderr());
});

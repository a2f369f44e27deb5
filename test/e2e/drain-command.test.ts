import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { checkFleet, startFleet } from '../support/fleet.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

test('rollout drain: under rollout run the worker leaves for good, the others go on, and the steps are shown', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 300 }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '4', '--max-attempts', '1'];
  const run = makeRun(t, { lines: batchLines(300), args });
  const command = run.start();
  await until('items are done', PATIENCE_MS, () => server.total() > 20);
  const drained = await run.verb('drain', 'w2', '--deadline', '20s', '--reason', 'maintenance of gpu-2');
  t.is(drained.exit, 0, drained.stderr);
  const lines = drained.stdout.trimEnd().split('\n');
  t.regex(lines[0] ?? '', /^w2: takes nothing new, (?:19|20)\.\d s left$/);
  t.regex(lines[1] ?? '', /^w2: \d+ items? that had not started went back$/);
  t.deepEqual(lines.slice(-2), ['w2: holds nothing any more, and leaves', 'w2 has left']);
  await until('one worker is left', PATIENCE_MS, () => run.workers().length === 1);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  const events = run.events().filter((event) => event['workerId'] === 'w2');
  t.is(events.filter((event) => event['kind'] === 'worker_registered').length, 1, 'it was not started again');
  t.like(
    events.find((event) => event['kind'] === 'drain_started'),
    { reason: 'maintenance of gpu-2' },
  );
  t.deepEqual(server.repeated(), []);
});

test('rollout drain: mistakes are named, with what to do', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'hang' }));
  const fleet = await startFleet(t, [server, server], { items: 8, concurrency: 2 });
  await until('both work', PATIENCE_MS, () => server.total() === 4);
  const unknown = await fleet.drain('w7');
  t.deepEqual([unknown.exit, unknown.stderr], [2, 'rollout: no worker w7 works on this run; these do: w1, w2\n']);
  t.regex((await fleet.drain('no such name')).stderr, /worker_id must be 1 to 64 letters/);
  const noUnit = await fleet.drain('w1', '--deadline', '60');
  t.is(noUnit.exit, 2);
  t.regex(noUnit.stderr, /a duration with a unit, such as 500ms/);
  t.regex((await fleet.drain('w1', '--reason', 'two\nlines')).stderr, /must be one line of at most 200 characters/);

  const told = await fleet.drain('w1', '--no-wait', '--json', '--deadline', '30s');
  t.is(told.exit, 0, told.stderr);
  t.deepEqual(JSON.parse(told.stdout.trimEnd().split('\n').at(-1) ?? ''), { worker: 'w1', state: 'draining' });
  await until('it drains', PATIENCE_MS, () => fleet.eventsOf('w1', 'drain_started').length === 1);
  t.false(fleet.worker('w1').hasExited());
  const hurried = await fleet.drain('w1', '--deadline', '2s');
  t.is(hurried.exit, 0, 'asked again it tightens');
  t.regex(hurried.stdout, /w1: 2 items that had started and cannot end in time went back/);

  const waiting = fleet.drain('w2', '--deadline', '60s');
  await until('it drains', PATIENCE_MS, () => fleet.eventsOf('w2', 'drain_started').length === 1);
  fleet.worker('w2').signal('SIGKILL');
  const lost = await waiting;
  t.is(lost.exit, 4);
  t.regex(lost.stdout, /w2 was lost before it could leave; what it held goes to others\n$/);
  const nobody = await fleet.drain('w1');
  t.deepEqual([nobody.exit, nobody.stderr], [2, 'rollout: no worker w1 works on this run; none does now\n']);

  server.answerWith(() => ({ kind: 'ok' }));
  fleet.restart('w1');
  await checkFleet(t, fleet, PATIENCE_MS);
  const over = await fleet.drain('w1');
  t.is(over.exit, 0);
  t.regex(over.stdout, /the run is over/);
});

test('a drain that was ordered goes on without its coordinator, and a hints file is heard by its successor too', async (t) => {
  t.timeout(300_000);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const server = await modelServer(t, async (_item, nth) => {
    if (nth === 1) await released;
    return { kind: 'ok' };
  });
  const fleet = await startFleet(t, [server, server, server], { items: 12, concurrency: 2 });
  await until('all work', PATIENCE_MS, () => server.total() === 6);
  t.is((await fleet.drain('w1', '--no-wait', '--deadline', '20s')).exit, 0);
  fleet.hint([{ node: 'n2', severity: 'hint', reason: 'rebalance' }]);
  await until('w1 drains', PATIENCE_MS, () => fleet.eventsOf('w1', 'drain_started').length === 1);
  await until('w2 holds', PATIENCE_MS, () => fleet.eventsOf('w2', 'drain_started').length === 1);
  fleet.coordinator.signal('SIGKILL');
  await fleet.coordinator.exited;
  const successor = fleet.succeed();
  await until('w1 has left', PATIENCE_MS, () => fleet.worker('w1').hasExited());
  t.is(await fleet.worker('w1').exited, 0, fleet.worker('w1').stderr());
  t.false(fleet.worker('w2').hasExited(), 'it still holds');
  release();
  await until('the run ends', PATIENCE_MS, () => successor.hasExited());
  t.is(await successor.exited, 0, successor.stderr());
  t.deepEqual(fleet.standing.failures(), []);
  t.is((await fleet.standing.verify()).exit, 0);
});

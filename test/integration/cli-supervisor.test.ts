import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { signal } from '../support/process-table.ts';
import { stage } from '../support/supervisor-stage.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

test('a coordinator that finishes ends the run with its code, and workers that stay are told to leave', async (t) => {
  const { supervisor, diary } = await stage(t, { coordinator: ['exit', '1'], w1: [] });
  t.deepEqual(await supervisor.run(), { exit: 1, failed: null, reason: '' });
  t.true((await diary()).includes('w1 ended'));
});

test('a coordinator that gives up says why, and the run is ending while its workers still hand over', async (t) => {
  const { supervisor, endings } = await stage(t, { coordinator: ['give-up', 'no item has ended'] });
  t.false(supervisor.isEnding);
  const end = await supervisor.run();
  t.like(end, { exit: 4, reason: 'no item has ended' });
  t.deepEqual(endings, [end]);
  t.true(supervisor.isEnding);
});

test('a run whose store stays away ends with 4 and the last trouble; one whose store comes back goes on', async (t) => {
  const gone = await stage(t, { coordinator: ['store', 'gone'], w1: [] }, { waitStoreMs: 1_000 });
  t.like(await gone.supervisor.run(), { exit: 4, reason: 'the store could not be used for 1s (--redis-wait): redis://h: gone' });
  const back = await stage(t, { coordinator: ['store', 'back'], w1: [] }, { waitStoreMs: 1_500 });
  const ended = back.supervisor.run();
  await sleep(3_000);
  t.false(back.supervisor.isEnding);
  back.supervisor.interrupt();
  t.like(await ended, { exit: 130 });
});

test('workers that never found the coordinator of a finished run are stopped at once', async (t) => {
  const leaving = { coordinator: ['exit-once-there', 'w1'], w1: [] };
  const lastsMs = async (isConnected: boolean): Promise<number> => {
    const { supervisor } = await stage(t, leaving, { isConnected });
    const startedMs = performance.now();
    t.deepEqual(await supervisor.run(), { exit: 0, failed: null, reason: '' });
    return performance.now() - startedMs;
  };
  const [known, unknown] = await Promise.all([lastsMs(true), lastsMs(false)]);
  t.true(unknown < known, `${unknown} ms, and ${known} ms where it may still hear of the end`);
});

test('workers start at once, and are told where the coordinator listens as soon as it has said so', async (t) => {
  const { supervisor, diary, pidOf } = await stage(t, { coordinator: [], w1: [] });
  const ended = supervisor.run();
  const address = `localhost:${await until('the coordinator has started', PATIENCE_MS, async () => pidOf('coordinator'))}`;
  const isTold = async (): Promise<boolean> => {
    const lines = await diary();
    return lines.includes(`w1 prepared ${address}`) || lines.includes(`w1 heard {"kind":"coordinators","addresses":["${address}"]}`);
  };
  await until('the worker knows the address', PATIENCE_MS, isTold);
  t.true((await diary()).some((line) => line.startsWith('w1 prepared')));
  supervisor.interrupt();
  t.is((await ended).exit, 130);
});

test('a killed worker is started again, and the coordinator hears of its end before that', async (t) => {
  const { supervisor, diary, pidOf } = await stage(t, { coordinator: [], w1: [] });
  const ended = supervisor.run();
  await until('the coordinator has started', PATIENCE_MS, async () => pidOf('coordinator'));
  const first = await until('the worker has started', PATIENCE_MS, async () => pidOf('w1'));
  signal(first, 'SIGKILL');
  const second = await until('the worker has started again', PATIENCE_MS, async () =>
    (await pidOf('w1')) === first ? undefined : pidOf('w1'),
  );
  const lines = await diary();
  const heard = lines.indexOf(`coordinator heard {"kind":"worker-exited","workerId":"w1","pid":${first}}`);
  t.true(heard >= 0 && heard < lines.indexOf(`w1 started ${second}`));
  supervisor.interrupt();
  await ended;
});

test('a killed coordinator is started again, and the workers hear of its new address', async (t) => {
  const { supervisor, diary, pidOf, notices } = await stage(t, { coordinator: [], w1: [] });
  const ended = supervisor.run();
  await until('the worker has started', PATIENCE_MS, async () => pidOf('w1'));
  const first = await until('the coordinator has started', PATIENCE_MS, async () => pidOf('coordinator'));
  signal(first, 'SIGKILL');
  const second = await until('a new coordinator', PATIENCE_MS, async () =>
    (await pidOf('coordinator')) === first ? undefined : pidOf('coordinator'),
  );
  const message = `w1 heard {"kind":"coordinators","addresses":["localhost:${second}"]}`;
  await until('the worker hears of it', PATIENCE_MS, async () => (await diary()).includes(message));
  t.is(supervisor.address, `localhost:${second}`);
  t.regex(notices.join('\n'), /coordinator ended by SIGKILL; starting it again/);
  supervisor.interrupt();
  await ended;
});

test('Ctrl-C ends the workers first, then the coordinator', async (t) => {
  const { supervisor, diary, pidOf } = await stage(t, { coordinator: [], w1: [], w2: [] });
  const ended = supervisor.run();
  for (const name of ['coordinator', 'w1', 'w2']) await until(`${name} has started`, PATIENCE_MS, async () => pidOf(name));
  supervisor.interrupt();
  t.deepEqual(await ended, { exit: 130, failed: null, reason: '' });
  const ends = (await diary()).filter((line) => line.endsWith(' ended'));
  t.is(ends.length, 3);
  t.is(ends.at(-1), 'coordinator ended');
});

test('a second Ctrl-C kills at once what does not end', async (t) => {
  const { supervisor, pidOf } = await stage(t, { coordinator: ['stubborn'], w1: ['stubborn'] });
  const ended = supervisor.run();
  for (const name of ['coordinator', 'w1']) await until(`${name} has started`, PATIENCE_MS, async () => pidOf(name));
  supervisor.interrupt();
  supervisor.interrupt();
  const startedMs = performance.now();
  t.is((await ended).exit, 130);
  t.true(performance.now() - startedMs < 15_000);
});

test('what does not end within its drain time is killed', async (t) => {
  t.timeout(300_000);
  const { supervisor, pidOf, diary } = await stage(t, { coordinator: [], w1: ['stubborn'] }, { drainTimeoutMs: 500 });
  const ended = supervisor.run();
  await until('the worker has started', PATIENCE_MS, async () => pidOf('w1'));
  supervisor.interrupt();
  t.is((await ended).exit, 130);
  t.true((await diary()).includes('w1 ignored SIGTERM'));
});

test('without a worker that finds its backend the run ends as not reachable, and the coordinator is stopped in order', async (t) => {
  const { supervisor, diary } = await stage(t, { coordinator: [], w1: ['exit', '4'], w2: ['exit', '4'] });
  const end = await supervisor.run();
  t.is(end.exit, 4);
  t.regex(end.failed?.logFile ?? '', /w[12]\.log$/);
  t.is((await diary()).at(-1), 'coordinator ended');
});

test('workers that leave with 0 do not end the run while nothing is open: the coordinator may still export', async (t) => {
  const { supervisor } = await stage(t, { coordinator: ['exit', '0'], w1: ['exit', '0'] }, { hasOpenItems: false });
  t.deepEqual(await supervisor.run(), { exit: 0, failed: null, reason: '' });
});

test('what is asked of the coordinator once, such as going on with a paused run, is asked until one has served, and never again', async (t) => {
  const hasServed = (notices: readonly string[]): boolean => notices.length > 1;
  const { supervisor, diary } = await stage(t, { coordinator: ['exit', '4'] }, { hasServed, hasOpenItems: false });
  const running = supervisor.run();
  const starts = async (): Promise<readonly string[]> => (await diary()).filter((line) => line.startsWith('coordinator started'));
  await until('four starts', PATIENCE_MS, async () => (await starts()).length >= 4);
  supervisor.interrupt();
  await running;
  t.deepEqual(
    (await starts()).slice(0, 4).map((line) => line.endsWith(' first')),
    [true, true, false, false],
  );
});

test('of a worker that leaves while items are to do it is said that it is not started again; at the end of the run nothing', async (t) => {
  const leaving = { coordinator: [], w1: ['exit', '0'], w2: [] };
  const [early, atTheEnd] = await Promise.all([stage(t, leaving), stage(t, leaving, { hasOpenItems: false })]);
  const ended = [early, atTheEnd].map(({ supervisor }) => supervisor.run());
  await until('it is said', PATIENCE_MS, () => early.notices.some((line) => /w1 has left.*not started again/.test(line)));
  for (const { supervisor } of [early, atTheEnd]) supervisor.interrupt();
  await Promise.all(ended);
  t.is(early.notices.length, 1);
  t.deepEqual(atTheEnd.notices, []);
});

import test from 'ava';
import { startRate } from '../../../../runtime/cli/status/rate.ts';
import type { SeenStatus } from '../../../../runtime/cli/status/run-status.ts';
import { progressLine, statusPage } from '../../../../runtime/cli/status/status-text.ts';

function status(change: Partial<SeenStatus> = {}): SeenStatus {
  const counts = { items: 100, isIndexed: true, done: 40, failed: 2, running: 8, prefetched: 0, handedBack: 1, redone: 0 };
  return {
    runId: 'R1',
    state: { kind: 'running' },
    epoch: 3,
    ...counts,
    ...{ workers: [], waits: [], stall: null, results: null },
    isLive: true,
    runPid: null,
    silence: null,
    endReason: '',
    isExpired: false,
    ...change,
  };
}

const READY: SeenStatus['workers'][number] = { workerId: 'w1', state: 'ready', running: 8, concurrency: 64, sinceBeatMs: 120, detail: '' };

test('a progress line has counts, rate, remaining time and workers', (t) => {
  const line = progressLine(status({ workers: [READY] }), { ...startRate(0, 42), perSecond: 29 });
  t.is(line, '42/100 items, 40 done, 2 failed, 8 running, 29/s, about 2 s left, 1 worker');
});

test('the page says how much results in Redis take, and of results in a directory nothing', (t) => {
  const results = { usedBytes: 1_536, limitBytes: 64 * 2 ** 20 };
  t.true(statusPage(status({ results }), '/s').includes('results in Redis: 1.5 KiB of 64.0 MiB'));
  t.false(statusPage(status(), '/s').join().includes('results in Redis'));
});

test('while the input is being indexed nothing is said about the remaining time', (t) => {
  const line = progressLine(status({ isIndexed: false, workers: [READY, { ...READY, state: 'suspected' }] }), {
    ...startRate(0, 0),
    perSecond: 1.25,
  });
  t.is(line, '42/100+ items, 40 done, 2 failed, 8 running, 1.3/s, 1 of 2 workers ready');
});

test('a worker that is not ready says why, in the progress and on the page', (t) => {
  const away: typeof READY = { ...READY, state: 'not-ready', detail: 'waiting for http://h:1: connect ECONNREFUSED' };
  const line = progressLine(status({ workers: [READY, away] }), startRate(0, 42));
  t.true(line.endsWith(', 1 of 2 workers ready: waiting for http://h:1: connect ECONNREFUSED'), line);
  const page = statusPage(status({ workers: [READY, away] }), 'd').join('\n');
  t.regex(page, /worker w1: ready, holds 8, runs up to 64, last beat 120 ms ago/);
  t.regex(page, /worker w1: not-ready \(waiting for http:\/\/h:1: connect ECONNREFUSED\), holds 8, runs up to 64/);
});

test('status says plainly that no coordinator is running, and how to go on', (t) => {
  const page = statusPage(status({ isLive: false }), 'out.rollout').join('\n');
  t.regex(page, /state: unfinished$/m);
  const why = statusPage(status({ isLive: false, endReason: 'no item has ended' }), 'd').join('\n');
  t.regex(why, /^state: unfinished, its last command ended: no item has ended$/m);
  t.regex(page, /No coordinator is running.*same `rollout run` command.*by hand: start the coordinator/);
  const paused = statusPage(status({ isLive: false, state: { kind: 'paused', reason: '20 x 401' } }), 'd').join('\n');
  t.regex(paused, /by hand: `rollout coordinator run --resume`/);
});

test('status says of a run without workers what is happening: it starts, its input is indexed, or somebody must start one', (t) => {
  const told = (change: Partial<SeenStatus>): string =>
    statusPage(status(change), 'd')
      .filter((line) => line.startsWith('No worker'))
      .join();
  const fresh = { runPid: 7, done: 0, failed: 0, running: 0, handedBack: 0 };
  t.regex(told({}), /^No worker is registered: start one with `rollout worker run`/);
  t.regex(
    told(fresh),
    /^No worker is registered yet: `rollout run` \(pid 7\) starts them, and their logs in d\/logs say what they wait for\.$/,
  );
  t.regex(told({ ...fresh, items: 10, isIndexed: false }), /registered yet: .*The input is being indexed meanwhile\.$/);
  t.regex(told({ runPid: 7 }), /registered now: /);
  for (const change of [{ workers: [READY] }, { isLive: false }, { state: { kind: 'completed' } }] as const) t.is(told(change), '');
});

test('a paused run shows its reason; a completed one asks for nothing', (t) => {
  t.regex(statusPage(status({ state: { kind: 'paused', reason: '20 x 401' } }), 'd').join('\n'), /state: paused: 20 x 401/);
  const completed = statusPage(status({ state: { kind: 'completed' }, isLive: false, done: 98 }), 'd').join('\n');
  t.regex(completed, /completed, some items failed/);
  t.notRegex(completed, /No coordinator/);
});

test('done, failed, running, handed back and to do add up to all items', (t) => {
  const page = statusPage(status(), 'd').join('\n');
  t.regex(page, /^done: 40, failed: 2 /m);
  t.regex(page, /^running: 8, handed back: 1, to do: 49$/m);
});

test('while `rollout run` lives and no coordinator answers, status does not advise the same command', (t) => {
  const page = statusPage(status({ isLive: false, runPid: 77 }), 'out.rollout').join('\n');
  t.regex(page, /`rollout run` \(pid 77\) is alive: it starts the coordinator.*status --watch --state out\.rollout/);
  t.notRegex(page, /same `rollout run` command/);
});

test('where nobody works nothing is said about the remaining time', (t) => {
  t.is(progressLine(status(), { ...startRate(0, 42), perSecond: 29 }), '42/100 items, 40 done, 2 failed, 8 running, 29/s, 0 workers');
});

test('where the last items wait for another try, the progress line says so instead of a time', (t) => {
  const rate = { ...startRate(0, 42), perSecond: 29 };
  const last = { workers: [READY], done: 97, failed: 2, running: 0 };
  t.is(
    progressLine(status({ ...last, handedBack: 1 }), rate),
    '99/100 items, 97 done, 2 failed, 0 running, 29/s, 1 waits for another try, 1 worker',
  );
  t.regex(progressLine(status({ ...last, done: 96, handedBack: 2 }), rate), / 2 wait for another try/);
  t.regex(progressLine(status({ ...last, done: 96, running: 1, handedBack: 1 }), rate), /about 0 s left/);
});

test('before the first line is indexed the progress line says what is being done', (t) => {
  const nothing = { items: 0, isIndexed: false, done: 0, failed: 0, running: 0, handedBack: 0 };
  t.is(progressLine(status({ ...nothing, workers: [READY] }), startRate(0, 0)), 'indexing the input, 1 worker');
});

test('a coordinator that is there and cannot be talked to is not one that is not running', (t) => {
  const page = statusPage(status({ isLive: false, silence: 'localhost:7: UNAVAILABLE: certificate has expired' }), 'd').join('\n');
  t.regex(page, /A coordinator is there and did not answer, at localhost:7: UNAVAILABLE: certificate has expired/);
  t.notRegex(page, /No coordinator is running/);
});

test('while items wait, progress and page say the commonest reason and until when', (t) => {
  const waits = [
    { reason: 'http_500: CUDA error', items: 5, nextTryMs: 2_400 },
    { reason: 'timeout: no answer', items: 1, nextTryMs: null },
  ];
  const waiting = status({ running: 0, handedBack: 58, workers: [READY], waits });
  const line = progressLine(waiting, startRate(0, 42));
  t.is(line, '42/100 items, 40 done, 2 failed, 0 running, 5 waiting: http_500: CUDA error, next try in 3 s, 1 worker');
  const page = statusPage(waiting, 'd');
  t.true(page.includes('5 waiting: http_500: CUDA error, next try in 3 s'));
  t.true(page.includes('1 tried again after timeout: no answer'));
});

test('a run that has stalled says so first, and since when', (t) => {
  const stall = { sinceMs: 185_000, why: 'no worker is connected' };
  const text = 'STALLED, nothing has ended for 3 min 5 s: no worker is connected';
  const stalled = status({ stall, waits: [{ reason: 'x', items: 1, nextTryMs: 0 }] });
  t.true(progressLine(stalled, startRate(0, 42)).includes(text));
  t.true(statusPage(stalled, 'd').includes(text));
});

test('where no worker is ready, nothing is tried at once, and the workers say what they wait for', (t) => {
  const detail = 'http://h:1: answered 500; tried again every few seconds, for up to 14m more';
  const away: typeof READY = { ...READY, state: 'not-ready', detail };
  const waits = [{ reason: 'http_500: CUDA error', items: 5, nextTryMs: 0 }];
  const line = progressLine(status({ running: 0, handedBack: 58, workers: [away], waits }), startRate(0, 42));
  t.is(line, `42/100 items, 40 done, 2 failed, 0 running, 5 waiting: http_500: CUDA error, 0 of 1 workers ready: ${detail}`);
});

test('items of a run without any process were in flight when it ended, and do not run', (t) => {
  const gone = statusPage(status({ isLive: false, running: 80 }), 'd').join('\n');
  t.regex(gone, /^in flight when it ended, and run again unless a worker has kept the result: 80, handed back: 1/m);
  t.regex(statusPage(status({ isLive: false, running: 80, runPid: 7 }), 'd').join('\n'), /^running: 80/m);
});

test('items that workers hold ready are told apart from those that run', (t) => {
  const both = status({ running: 9, prefetched: 3, workers: [READY] });
  t.regex(progressLine(both, startRate(0, 42)), /, 6 running, 3 held ready, /);
  t.regex(statusPage(both, 'd').join('\n'), /^running: 6, held ready: 3, handed back: 1, to do: 48$/m);
});

test('of a finished run whose keys have expired its end is shown, and that this is all', (t) => {
  const expired = statusPage(status({ isLive: false, state: { kind: 'completed' }, isExpired: true }), 'd').join('\n');
  t.regex(expired, /^state: completed, some items failed$/m);
  t.regex(expired, /no longer on the Redis server.*`export` and `verify` need the keys/);
});

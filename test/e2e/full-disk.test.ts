import { cpSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { batchLine, itemIds } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { freeBytes, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const MEBIBYTE = 2 ** 20;
/** For processes to start and to get under way, on a machine under full load. */
const START_MS = 90_000;
/** The answer repeats the question, so that this is the size of a result, too. */
const LARGE_TEXT = 'x'.repeat(100_000);

function largeLines(count: number): readonly string[] {
  return itemIds(count).map((id) => batchLine(id, `${id} ${LARGE_TEXT}`));
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(port: number, path: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

/** Null while it does not listen yet. */
async function readiness(port: number): Promise<Answer | null> {
  return ask(port, '/readyz').catch(() => null);
}

/** Until it answers so, and with that text: a process that starts is not ready either, and says so first. */
async function untilReadiness(port: number, status: number, text: RegExp, command: Command): Promise<Answer> {
  return until(`readiness ${status}, ${text.source}`, START_MS, async () => {
    if (command.hasExited()) throw new Error(`it ended: ${command.stderr()}`);
    const answer = await readiness(port);
    return answer?.status === status && text.test(answer.text) && answer;
  });
}

/** Moves a folder onto a disk of its own. */
function onSmallDisk(t: ExecutionContext, dir: string, mebibytes: number): SmallDisk {
  const aside = `${dir}.aside`;
  renameSync(dir, aside);
  const disk = smallDisk(t, dir, mebibytes);
  cpSync(aside, dir, { recursive: true });
  return disk;
}

test('L18: under rollout run the disk fills up: it says what is missing, waits, and goes on when there is space', async (t) => {
  t.timeout(300_000);
  const count = 250;
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  // No worker is given up for its silence, however busy the machine is.
  const patient = ['--timing', 'coordinatorFailureTimeout=60s'];
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '8', ...patient];
  const run = makeRun(t, { lines: largeLines(count), args });
  const disk = smallDisk(t, run.state, 200);
  const command = run.start();
  await until('the run is under way', START_MS, () => server.total() >= 60);
  disk.fill(MEBIBYTE);
  // Whoever has something to write says so; where the workers wait with their results, the coordinator gets nothing to write.
  await until('the shortage is told', START_MS, () => command.stderr().includes(' waits: no space'));
  t.regex(
    command.stderr(),
    /(?:coordinator|worker w\d) waits: no space in \S+rollout\S*: [\d.]+ [KM]?i?B are free, \d+\.0 MiB are wanted; free some/,
  );
  await sleep(3_000);
  t.false(command.hasExited(), command.stderr());
  disk.clear();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.notRegex(command.stderr(), /worker w\d ended/);
  t.deepEqual(
    server.repeated().map((item) => item.slice(0, 'item-000000'.length)),
    [],
    `what was executed was kept, and not executed again: ${command.stderr()}`,
  );
});

test('while it waits for space, Ctrl-C ends rollout run soon, and the same command on the full disk waits as well', async (t) => {
  t.timeout(300_000);
  const count = 200;
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, { lines: largeLines(count), args: ['--base-url', server.url, '--concurrency', '8'] });
  const disk = smallDisk(t, run.state, 200);
  const first = run.start();
  await until('the run is under way', START_MS, () => server.total() >= 60);
  disk.fill();
  await until('the shortage is told', START_MS, () => first.stderr().includes(' waits: no space'));
  first.signal('SIGINT');
  // Within the time of a drain: what waits for space may still find it.
  t.is(await exitOf(first, 45_000), 130, first.stderr());
  const second = run.start();
  await until('the shortage is told', START_MS, () => second.stderr().includes('no space in'));
  t.false(second.hasExited());
  disk.clear();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
});

test('L18: the log fills the disk: the coordinator ends, the same command and a passive one wait red, and one goes on after growth', async (t) => {
  t.timeout(300_000);
  const [port, passivePort, http, passiveHttp] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 50 }));
  const options = { lines: largeLines(300), baseUrl: server.url, concurrency: 8 };
  const run = standalone(t, { ...options, coordinator: { http: `127.0.0.1:${http}`, minFreeSpace: '4MiB' } });
  const disk = smallDisk(t, run.state, 24);
  const first = run.startCoordinator('c1', port);
  await untilReadiness(http, 200, /^primary\n$/, first);
  t.like(JSON.parse(readFileSync(join(run.state, 'coordinator.json'), 'utf8')), { http: `127.0.0.1:${http}` });
  const passive = run.startCoordinator('c2', passivePort, { http: `127.0.0.1:${passiveHttp}` });
  await untilReadiness(passiveHttp, 200, /^passive\n$/, passive);
  const worker = run.startWorker('w1', [port, passivePort]);

  t.is(await exitOf(first, PATIENCE_MS), 4, first.stderr());
  t.regex(first.stderr(), /cannot write the result log \S+\.seg: ENOSPC|store in \S+ failed \(/);
  await untilReadiness(passiveHttp, 503, /^no space in \S+: [\d.]+ [KM]?i?B are free, 4\.0 MiB are wanted\n$/, passive);
  t.is((await ask(passiveHttp, '/healthz')).status, 200);
  t.like(JSON.parse((await ask(passiveHttp, '/health')).text), { active: false, role: 'passive', leaseEpoch: 0 });
  const again = run.startCoordinator('c1', port);
  await untilReadiness(http, 503, /^no space in/, again);
  await until('it says so', PATIENCE_MS, () => again.stderr().includes('the coordinator waits for space'));
  t.is((await run.verify()).exit, 2, 'the ledger can be read: it says that the run is not finished');

  disk.grow(128);
  const ends = await Promise.all([exitOf(again, PATIENCE_MS), exitOf(passive, PATIENCE_MS)]);
  t.deepEqual(ends, [0, 0], `${again.stderr()}${passive.stderr()}`);
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(server.repeated(), []);
});

test('the store fills its disk: no more is handed out, the ledger can be read, and the next one goes on when there is space', async (t) => {
  t.timeout(300_000);
  const [port, http] = [await freePort(), await freePort()];
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 50 }));
  const lines = itemIds(6_000).map((id) => batchLine(id));
  const run = standalone(t, {
    lines,
    baseUrl: server.url,
    concurrency: 500,
    coordinator: { http: `127.0.0.1:${http}`, minFreeSpace: '256KiB' },
  });
  const before = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(before, START_MS), 0);
  before.signal('SIGTERM');
  await before.exited;
  const disk = onSmallDisk(t, join(run.state, 'store'), 1);
  const first = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(first, START_MS), 1);
  // The store goes on within the pages that it has; it is the rows of all that is handed out that make it grow.
  disk.fill();
  const workers = ['w1', 'w2', 'w3'].map((name) => run.startWorker(name, [port]));
  t.is(await exitOf(first, PATIENCE_MS), 4, first.stderr());
  t.regex(first.stderr(), /The store in \S+ failed \((?:No space left on device|Input\/output error)\)/);
  const again = run.startCoordinator('c1', port);
  await untilReadiness(http, 503, /^no space in \S+store: [\d.]+ [KM]?i?B are free, 256\.0 KiB are wanted\n$/, again);
  await until('what was in flight is answered', PATIENCE_MS, () => server.inFlight() === 0);
  const handedOut = server.total();
  await sleep(2_000);
  t.is(server.total(), handedOut, 'nothing new is executed meanwhile');
  t.is((await run.verify()).exit, 2, 'the ledger can be read: it says that the run is not finished');
  disk.clear();
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(server.repeated(), []);
});

test('L34: the disk of a worker fills up: it beats on, keeps what it has executed, and stores it when there is space', async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await modelServer(t, async () => {
    await opened;
    return { kind: 'ok', afterMs: 50 };
  });
  const run = standalone(t, { lines: largeLines(200), baseUrl: server.url, concurrency: 8 });
  const disk = smallDisk(t, join(run.dir, 'workers', 'w1'), 40);
  const coordinator = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(coordinator, START_MS), 0);
  const worker = run.startWorker('w1', [port]);
  await until('all that is executed at a time is at the server', START_MS, () => server.inFlight() === 8);
  // A store that has held much has room within itself; this one has held nothing yet.
  disk.fill();
  open();
  await until('the worker says that it waits', START_MS, () => worker.stderr().includes('the worker waits for space'));
  await sleep(7_000);
  await until('what it had taken is answered', PATIENCE_MS, () => server.inFlight() === 0);
  const executed = server.total();
  await sleep(1_000);
  t.is(server.total(), executed, 'it takes no more than it holds already');
  t.false(worker.hasExited(), worker.stderr());
  t.true(freeBytes(disk.dir) < MEBIBYTE);
  disk.clear();
  t.is(await exitOf(coordinator, PATIENCE_MS), 0, coordinator.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(
    printedEvents(coordinator).filter((event) => event['kind'] === 'worker_failed'),
    [],
  );
  t.deepEqual(invariantBreaks(run), []);
  t.deepEqual(server.repeated(), []);
});

test('the disk of the output is full at the end: the run is completed, and the same command makes the files', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: largeLines(60), args: ['--base-url', server.url, '--concurrency', '8'] });
  const disk = smallDisk(t, join(run.dir, 'elsewhere'), 2);
  const output = join(disk.dir, 'out.jsonl');
  const where = ['--output', output, '--state', run.state];
  const first = run.start(where);
  t.is(await exitOf(first, PATIENCE_MS), 2, first.stderr());
  t.regex(first.stderr(), /cannot write \S+out\.jsonl: ENOSPC.*free some space there and give the same command again/);
  t.regex((await run.verb('status')).stdout, /state: completed/);
  t.true(freeBytes(disk.dir) > MEBIBYTE, 'nothing is left behind of what could not be written');
  const executed = server.total();
  disk.grow(64);
  const second = run.start(where);
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  t.is(server.total(), executed);
  t.deepEqual(invariantBreaks({ input: run.input, output, errors: `${output}.errors.jsonl` }), []);
  t.is((await run.verb('verify')).exit, 0);
});

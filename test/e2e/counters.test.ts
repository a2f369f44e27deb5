import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 400;
/** Every so manieth item is refused by the server, which is final. */
const REFUSED_EVERY = 10;
const RESTARTS = 20;
const KEPT = 40;
/** Ten points from the first line of code on, and the same after it has begun to serve. */
const POINTS = 10;
const POINT_MS = 60;

test(`a coordinator killed -9 at ${POINTS} points, ${RESTARTS} times in all, counts right, and no item is executed twice (L6, L24, L37)`, async (t) => {
  t.timeout(300_000);
  let asked = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const server = await modelServer(t, async () => {
    asked += 1;
    const isRefused = asked % REFUSED_EVERY === 0;
    // However slowly the coordinators come and go, the run is not over before the last of them.
    if (asked > ITEMS - KEPT) await released;
    return isRefused ? { kind: 'status', status: 400 } : { kind: 'ok', afterMs: 60 };
  });
  const standing = standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 4 });
  const port = await freePort();
  const starts: Command[] = [];
  const start = (): Command => {
    const coordinator = standing.startCoordinator('coordinator', port);
    starts.push(coordinator);
    return coordinator;
  };
  const first = start();
  const serves = (coordinator: Command): Promise<boolean> =>
    until('the coordinator serves', PATIENCE_MS, () => printedEvents(coordinator).some((event) => event['kind'] === 'run_started'));
  await serves(first);
  const worker = standing.startWorker('w1', [port]);
  await until('items are executed', PATIENCE_MS, () => server.total() > 0);
  let current = first;
  for (let n = 0; n < RESTARTS; n += 1) {
    if (n % 2 === 1) await serves(current);
    await sleep(((n >> 1) % POINTS) * POINT_MS);
    t.false(current.hasExited(), 'killed mid-run');
    current.signal('SIGKILL');
    await current.exited;
    current = start();
  }
  release();
  await until('the run ends', PATIENCE_MS, () => current.hasExited());
  t.is(await current.exited, 1, 'some items have failed');
  t.is(await worker.exited, 0, worker.stderr());

  const events = starts.flatMap(printedEvents);
  const counts = events.filter((event) => event['kind'] === 'run_started').map((event) => [Number(event['done']), Number(event['failed'])]);
  for (const [at, [done = 0, failed = 0]] of counts.entries()) {
    const [doneBefore = 0, failedBefore = 0] = counts[at - 1] ?? [];
    t.true(done >= doneBefore && failed >= failedBefore, `start ${at + 1} counts less than the one before`);
    t.true(done <= standing.results().length && failed <= standing.failures().length, `start ${at + 1} counts more than there is`);
  }
  const served = new Set(
    events.filter((event) => event['kind'] === 'lease_acquired' || event['kind'] === 'lease_stolen').map((event) => event['epoch']),
  );
  t.true(served.size > RESTARTS / 2, `${served.size} epochs`);
  t.log(`${served.size} epochs, counts at the starts: ${counts.map((pair) => pair.join('+')).join(' ')}`);
  t.like(events.at(-1), { kind: 'run_finished', done: standing.results().length, failed: standing.failures().length });
  t.is(standing.results().length + standing.failures().length, ITEMS);
  t.is(standing.failures().length, ITEMS / REFUSED_EVERY);
  t.deepEqual(invariantBreaks(standing), []);
  t.deepEqual(server.repeated(), []);
  const verified = await standing.verify();
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
});

import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import type { HerdReport } from '../support/herd-process.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { STORES, testStore } from '../support/test-store.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** `HERD_WORKERS=1000 HERD_STORE=redis` for the figures of a large one. */
const WORKERS = Number(process.env['HERD_WORKERS'] ?? 300);
const STORE = STORES.find((kind) => kind === process.env['HERD_STORE']) ?? 'embedded';
/** A process of more is itself too late for its pings, and leaves a coordinator that answers. */
const PROCESSES = Math.ceil(WORKERS / 225);
const ITEMS = 3 * WORKERS;
/** Ten seconds where the machine has nothing else to do; the workers share its cores with their coordinator, so that the rest is room. */
const BACK_MS = 90_000;
/** For several hundred handshakes on a machine with much else to do. */
const MANY_MS = 360_000;

interface Herd {
  /** The last report of each process. */
  reports(): readonly HerdReport[];
  /** What is executed is answered now. */
  go(): void;
}

function startHerd(t: ExecutionContext, tlsDir: string, port: number): Herd {
  const path = fileURLToPath(new URL('../support/herd-process.ts', import.meta.url));
  const each = Math.ceil(WORKERS / PROCESSES);
  const reports = Array.from({ length: PROCESSES }, (): HerdReport => ({ open: 0, lowestEpoch: 0, running: 0, begun: 0, left: 0 }));
  const children = reports.map((_, nth) => {
    const args = [tlsDir, String(port), String(nth * each), String(Math.min(each, WORKERS - nth * each))];
    const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const line = text.split('\n').findLast((one) => one.startsWith('{') && one.endsWith('}'));
      if (line !== undefined) reports[nth] = JSON.parse(line) as HerdReport;
    });
    return child;
  });
  return {
    reports: () => reports,
    go: () => {
      for (const child of children) child.stdin.write('go\n');
    },
  };
}

/** How late the coordinator's loop is, as its health endpoint shows. */
function watchLag(t: ExecutionContext, port: number): { text(): string } {
  const answers: number[] = [];
  const timer = setInterval(() => {
    const askedMs = performance.now();
    get({ port, path: '/healthz' }, (response) => {
      response.resume();
      response.once('end', () => answers.push(performance.now() - askedMs));
    }).on('error', () => undefined);
  }, 50);
  t.teardown(() => clearInterval(timer));
  return {
    text: () => {
      const sorted = answers.splice(0).toSorted((a, b) => a - b);
      const at = (share: number): number => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
      return `health is answered within ${at(1)} ms, p99 ${at(0.99)} ms`;
    },
  };
}

const total = (reports: readonly HerdReport[], of: 'open' | 'running' | 'begun' | 'left'): number =>
  reports.reduce((sum, report) => sum + report[of], 0);

test(`${WORKERS} workers come back at once after a restart of the coordinator: none is failed, nothing is executed twice (L37)`, async (t) => {
  t.timeout(690_000);
  const [port, http] = [await freePort(), await freePort()];
  // Two cores for them all: with nothing but their number against them, no worker is to be given up for its silence. Beats at the default
  // of half a second would be most of the work, and how fast everybody is back is the same without them.
  const coordinatorTiming = { coordinatorFailureTimeout: '60s', heartbeatInterval: '2s' };
  const store = await testStore(t, STORE);
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: 'http://127.0.0.1:9/v1', concurrency: 1, coordinatorTiming, store });
  const further = { http: `127.0.0.1:${http}` };
  const first = run.startCoordinator('c1', port, further);
  t.is(await leaseEpoch(first, PATIENCE_MS), 0);
  const { reports, go } = startHerd(t, run.tlsDir, port);
  await until('every worker has a session', MANY_MS, () => total(reports(), 'open') === WORKERS);
  await until('every worker has an item', PATIENCE_MS, () => total(reports(), 'running') === WORKERS);
  const lag = watchLag(t, http);
  await sleep(3_000);
  t.log(`${WORKERS} workers beating, ledger ${STORE}: ${lag.text()}`);
  const begun = total(reports(), 'begun');
  first.signal('SIGKILL');
  await first.exited;
  const second = run.startCoordinator('c2', port, further);
  t.is(await leaseEpoch(second, PATIENCE_MS), 1);
  const servingMs = performance.now();
  await until('every worker has a session again', PATIENCE_MS, () => {
    const now = reports();
    return total(now, 'open') === WORKERS && now.every((report) => report.lowestEpoch === 1);
  });
  const tookMs = performance.now() - servingMs;
  t.log(`all back after ${Math.round(tookMs)} ms; meanwhile ${lag.text()}`);
  t.true(tookMs < BACK_MS, `${tookMs} ms`);
  go();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await until('every worker has left', PATIENCE_MS, () => total(reports(), 'left') === WORKERS);
  t.is(total(reports(), 'begun') - begun, ITEMS - WORKERS, 'what was held at the restart was not executed again, nor anything else twice');
  t.deepEqual(
    printedEvents(second).filter((event) => event['kind'] === 'worker_failed'),
    [],
  );
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(ITEMS)],
  );
});

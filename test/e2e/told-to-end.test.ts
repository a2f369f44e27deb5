import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { isAlive, signal } from '../support/process-table.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, type Standalone, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** SIGTERM reaches a worker that is not started by a shell directly: as PID 1 of a container, and behind a package manager. */

const CONCURRENCY = 4;
/** It starts within milliseconds; the bound is for a machine under load. */
const AT_ONCE_MS = 15_000;
const LAUNCHER = fileURLToPath(new URL('../../runtime/worker.js', import.meta.url));

interface Scene {
  readonly run: Standalone;
  readonly server: ModelServer;
  readonly config: string;
  events(kind: string): readonly Readonly<Record<string, unknown>>[];
  open(): void;
  end(): Promise<void>;
}

/** A run whose items wait at the model server, for a worker that the test starts in its own way. */
async function scene(t: ExecutionContext): Promise<Scene> {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = await modelServer(t, async () => {
    await gate;
    return { kind: 'ok' };
  });
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(40), baseUrl: server.url, concurrency: CONCURRENCY });
  const coordinator = run.startCoordinator('c1', port);
  await leaseEpoch(coordinator, PATIENCE_MS);
  return {
    run,
    server,
    config: run.workerConfig('w1', [port]),
    events: (kind) => printedEvents(coordinator).filter((event) => event['kind'] === kind),
    open,
    end: async () => {
      coordinator.signal('SIGTERM');
      t.is(await exitOf(coordinator, PATIENCE_MS), 130, coordinator.stderr());
    },
  };
}

function started(t: ExecutionContext, command: string, args: readonly string[], cwd: string): ChildProcess {
  const child = spawn(command, [...args], { cwd, stdio: 'inherit', detached: true });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** The worker among the descendants of a process. */
function workerBelow(pid: number): number | undefined {
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  if (argv[1] === LAUNCHER) return pid;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  return children.map((child) => workerBelow(Number(child))).find((found) => found !== undefined);
}

async function drainsAtOnce(t: ExecutionContext, { server, events, open }: Scene, target: number, worker: number): Promise<void> {
  const toldMs = performance.now();
  signal(target, 'SIGTERM');
  await until('the drain starts', PATIENCE_MS, () => events('drain_started').length > 0);
  const tookMs = performance.now() - toldMs;
  t.log(`the drain started ${Math.round(tookMs)} ms after SIGTERM`);
  t.true(tookMs < AT_ONCE_MS, `${tookMs} ms`);
  open();
  await until('the worker has ended', PATIENCE_MS, () => !isAlive(worker));
  t.is(events('worker_deregistered').length, 1, 'it said goodbye');
  t.is(server.total(), CONCURRENCY, 'what was started was finished, and nothing else was begun');
}

test('a worker that is PID 1 of its namespace drains at once when it is told to end', async (t) => {
  t.timeout(300_000);
  const all = await scene(t);
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const args = [...asRoot, '--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, LAUNCHER, '--config', all.config];
  const outer = started(t, 'unshare', args, all.run.dir);
  const ended = once(outer, 'exit');
  await until('its slots are full', PATIENCE_MS, () => all.server.inFlight() === CONCURRENCY);
  const worker = workerBelow(outer.pid ?? 0) ?? 0;
  t.regex(readFileSync(`/proc/${worker}/status`, 'latin1'), /^NSpid:\s+\d+\s+1$/m, 'it is PID 1');
  await drainsAtOnce(t, all, worker, worker);
  t.deepEqual(await ended, [0, null]);
  await all.end();
});

test('a worker behind npm start, by exec, drains at once when npm is told to end', async (t) => {
  t.timeout(300_000);
  const all = await scene(t);
  // Without exec there is a shell between the two, which dies of the signal and passes nothing on.
  const script = `exec ${process.execPath} ${LAUNCHER} --config ${all.config}`;
  writeFileSync(join(all.run.dir, 'package.json'), JSON.stringify({ name: 'some-service', private: true, scripts: { start: script } }));
  const npm = started(t, 'npm', ['start', '--silent'], all.run.dir);
  const ended = once(npm, 'exit');
  await until('its slots are full', PATIENCE_MS, () => all.server.inFlight() === CONCURRENCY);
  const worker = workerBelow(npm.pid ?? 0) ?? 0;
  await drainsAtOnce(t, all, npm.pid ?? 0, worker);
  await ended;
  await all.end();
});

import { parseArgs } from 'node:util';
import { assertNever } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { formatDuration } from '../base/config/quantity.ts';
import type { Given } from '../base/config/settings-file.ts';
import { RolloutError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { keepFilesPrivate } from '../base/fs/private-files.ts';
import { createLog, type Log } from '../base/log.ts';
import { endSignals } from '../base/process/hangup.ts';
import { runStandalone, tell } from '../base/process/standalone.ts';
import { isSupervised, onParentLost, onParentMessage } from '../base/process/supervised.ts';
import { systemRandom } from '../base/random.ts';
import { createWorkerClient } from '../rpc/client.ts';
import { clientCredentials, keepCertificateFresh } from '../rpc/tls.ts';
import { workerPaths } from '../run-dir/paths.ts';
import { issueCertificate, readRunId } from '../tls/ca.ts';
import { type AnswerBudget, createAnswerBudget } from './backends/answer-budget.ts';
import type { Backend } from './backends/contract.ts';
import { createMockBackend } from './backends/mock.ts';
import { diskSpaceWaiter } from './disk-space-waiter.ts';
import { startHeartbeat } from './heartbeat/heartbeat.ts';
import { openKnownGood } from './known-good.ts';
import type { LoopEnd, WorkerLoop } from './loop.ts';
import { openOutbox } from './outbox/open.ts';
import { apiKeyIn, extraHeadersIn } from './secrets.ts';
import { loadWorkerSettings, type WorkerSettings } from './settings.ts';
import { type Wire, work } from './work.ts';

const USAGE = `Usage: rollout-worker --config worker.yaml [--worker-id ID] [--node NAME]

Executes items on its backend for the coordinator of a run, until the run is finished, or it or its machine is told to go.
SIGTERM and SIGINT drain; a second one ends at once. Unacknowledged outcomes are kept for the next start.

  --config FILE   settings (docs/settings.md)
  --worker-id ID  stands above workerId in the settings: for one file that many workers share
  --node NAME     stands above node in the settings, likewise

Exit codes: 0 done or drained, 2 usage or settings, 4 backend or store not reachable, 130 ended at once`;
const OPTIONS = {
  config: { type: 'string' },
  'worker-id': { type: 'string' },
  node: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;
/** 128 bits: no two process starts ever draw the same nonce. */
const BOOT_NONCE_BYTES = 16;

/** Of all answers that are read or wait to be acknowledged. One is held in several forms while it is judged, stored or sent. */
const ANSWERS_IN_MEMORY_BYTES = 16 * 1024 * 1024;

/** Lines that are made one by one share pieces of memory of this size: a piece costs more than what is written into it. */
const BUFFER_POOL_BYTES = 64 * 1024;

/** The worker process: executes items for one run until it is told that the run is finished, or to drain. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  // Nobody would collect the results or stop this process any more. Exiting closes every connection, which stops the model's work.
  onParentLost(() => process.exit(EXIT.interrupted));
  return runStandalone({ name: 'rollout-worker', usage: USAGE }, async () => {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS });
    if (values.help || values.config === undefined) return tell(USAGE, values.help ? EXIT.done : EXIT.usage);
    const settings = await loadWorkerSettings(values.config, isSupervised(), givenIn(values));
    return await runWorker(settings, createLog('worker', settings.logLevel).child({ workerId: settings.workerId }));
  });
}

function givenIn(values: { readonly 'worker-id'?: string; readonly node?: string }): Given {
  const { 'worker-id': workerId, node } = values;
  return { ...(workerId === undefined ? {} : { workerId }), ...(node === undefined ? {} : { node }) };
}

async function runWorker(settings: WorkerSettings, log: Log): Promise<ExitCode> {
  keepFilesPrivate();
  Buffer.poolSize = BUFFER_POOL_BYTES;
  const runId = await readRunId(settings.tlsDir);
  const { workerId, stateDir, node, hintsFile: file } = settings;
  const { storeDir, knownGood } = workerPaths(stateDir);
  const [clock, random] = [systemClock, systemRandom];
  const answers = createAnswerBudget(ANSWERS_IN_MEMORY_BYTES);
  const end = await work({
    settings,
    bootNonce: random.hex(BOOT_NONCE_BYTES),
    pid: process.pid,
    diskSpace: (onShortage) => diskSpaceWaiter(stateDir, clock, log, onShortage),
    openOutbox: (waitForDiskSpace) => openOutbox({ dir: storeDir, workerId, runId, waitForDiskSpace }),
    openBackend: () => createBackend(settings, answers),
    answers,
    connect: () => connect(settings, runId, log),
    openKnownGood: (slots) => openKnownGood({ path: knownGood, runId, slots, log }),
    watchHints: async (onHint) =>
      file === null ? null : (await import('./hints.ts')).watchOwnHints({ file, workerId, node, clock, log, onHint }),
    onReady: (loop) => listen(loop, log),
    clock,
    random,
    log,
  });
  return exitOf(end, settings, log);
}

async function connect(settings: WorkerSettings, runId: string, log: Log): Promise<Wire> {
  const { tlsDir, transport, maxLoopBlockMs, logLevel } = settings;
  const request = { role: 'worker', workerId: settings.workerId } as const;
  const tls = await issueCertificate(tlsDir, request);
  const renewal = keepCertificateFresh(tlsDir, request, tls, systemClock, log);
  const credentials = clientCredentials(tls, runId, log);
  return {
    dial: (address) => createWorkerClient({ address, credentials, clock: systemClock, transport }),
    startHeartbeat: (own, listener) => startHeartbeat({ ...own, runId, tls, maxLoopBlockMs, logLevel }, systemClock, listener),
    stop: () => renewal.stop(),
  };
}

/** Who may tell this process to stop, and how. */
function listen(loop: WorkerLoop, log: Log): void {
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isAsked) process.exit(EXIT.interrupted);
    isAsked = true;
    log.info({ signal }, 'draining; a second signal ends at once');
    loop.drain(`told to end by ${signal}`);
  };
  for (const name of endSignals()) process.on(name, onSignal);
  onParentMessage((message) => {
    if (message.kind === 'coordinators') loop.replaceAddresses(message.addresses);
  });
}

async function createBackend({ backend, concurrency }: WorkerSettings, budget: AnswerBudget): Promise<Backend> {
  switch (backend.type) {
    case 'mock':
      return createMockBackend(backend, systemClock);
    case 'openai': {
      // Loaded here alone: an HTTP client is a good part of a process's start.
      const { createOpenAiBackend } = await import('./backends/openai.ts');
      const { loadAuthorities } = await import('../tls/authorities.ts');
      return createOpenAiBackend({
        ...backend,
        apiKey: apiKeyIn(process.env, backend.apiKeyEnv),
        apiKeyEnv: backend.apiKeyEnv,
        env: process.env,
        authorities: await loadAuthorities(backend.caCert, process.env),
        headers: extraHeadersIn(process.env, backend.headersEnv),
        concurrency,
        budget,
      });
    }
    default:
      return assertNever(backend);
  }
}

function exitOf(end: LoopEnd, settings: WorkerSettings, log: Log): ExitCode {
  if (end.unacknowledged > 0) log.warn({ outcomes: end.unacknowledged }, 'outcomes stay in the store, to be handed over at the next start');
  if (end.backendDetail !== null) throw unreachable(settings, end.backendDetail);
  if (end.why === 'alone') throw alone(settings);
  if (end.why === 'superseded') {
    throw new RolloutError(
      'SUPERSEDED',
      `another process has registered as worker ${settings.workerId}: give each worker its own workerId`,
    );
  }
  log.info({ why: end.why }, 'the worker has left');
  return EXIT.done;
}

function alone({ coordinators, waitCoordinatorMs }: WorkerSettings): RolloutError {
  return new RolloutError(
    'COORDINATOR_UNREACHABLE',
    `no coordinator answered at ${coordinators.join(', ')} within waitCoordinator (${formatDuration(waitCoordinatorMs)}); the warnings above say what stood in the way. Start it, correct \`coordinators\`, or wait longer with waitCoordinator; then start this worker again, its store keeps what is not acknowledged`,
  );
}

function unreachable({ backend, waitBackendMs }: WorkerSettings, detail: string): RolloutError {
  const url = backend.type === 'openai' ? backend.baseUrls.join(', ') : backend.type;
  return new RolloutError(
    'BACKEND_UNREACHABLE',
    `the backend at ${url} was not ready within ${formatDuration(waitBackendMs)} (--wait-backend, or waitBackend in a settings file): ${detail}. Start the server, correct the base URL, or wait until it takes requests again; what is done is kept, and the same command goes on`,
  );
}

import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { createEvents } from '../base/events.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { createLog, type Log } from '../base/log.ts';
import { isProcessDead, ownProcess } from '../base/process-identity.ts';
import { systemRandom } from '../base/random.ts';
import { runStandalone, tell } from '../base/standalone.ts';
import { leaveParent, onParentLost, onParentMessage, tellParent } from '../base/supervised.ts';
import { prepareInput } from '../input/spool.ts';
import type { Keeper } from '../lease/contract.ts';
import { winLease } from '../lease/keeper.ts';
import type { Ledger } from '../ledger/contract.ts';
import { openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import { EVENT_LEVELS } from '../model/event.ts';
import type { Lease } from '../model/lease.ts';
import type { CoordinatorInfo } from '../model/status.ts';
import { errorsPath } from '../results/output-line.ts';
import { checkOutputTarget } from '../results/output-target.ts';
import { type CertificateRequest, ensureDevCa, issueCertificate, type TlsFiles } from '../rpc/ca.ts';
import { startServer } from '../rpc/server.ts';
import { keepCertificateFresh, serverCredentials } from '../rpc/tls.ts';
import { stateFiles } from './files.ts';
import { identifyRun } from './identify.ts';
import type { Loop } from './loop.ts';
import { takeOffice } from './recover.ts';
import { serve } from './serve.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from './settings.ts';

const USAGE = `Usage: rollout-coordinator --config coordinator.yaml [--resume]

Owns a run: hands its items to workers, records exactly one outcome for each, and writes the output files at the end.
A second coordinator on the same state directory waits, and takes over when the first one ends.

  --config FILE  settings (docs/settings.md)
  --resume       go on with a run that is paused

Exit codes: 0 done, 1 some items failed, 2 usage or settings, 3 fenced, 4 store or disk failed, 5 paused, 130 interrupted`;

/** How long the last words of an ending process may take. */
const FAREWELL_MS = 3_000;
/** What callers get to read their last answers; they call again elsewhere. */
const SERVER_GRACE_MS = 300;
/** 128 bits: no two process starts ever draw the same nonce (L2). */
const HOLDER_BYTES = 16;

export async function main(argv: readonly string[]): Promise<ExitCode> {
  return runStandalone({ name: 'rollout-coordinator', usage: USAGE }, async () => {
    const { values } = parseArgs({
      args: [...argv],
      options: { config: { type: 'string' }, resume: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    if (values.help || values.config === undefined) return tell(USAGE, values.help ? EXIT.done : EXIT.usage);
    const settings = await loadCoordinatorSettings(values.config);
    return await runCoordinator(settings, values.resume, createLog('coordinator', settings.logLevel));
  });
}

async function runCoordinator(settings: CoordinatorSettings, isResuming: boolean, log: Log): Promise<ExitCode> {
  const { input: inputPath, output: outputPath } = settings;
  await checkOutputTarget({ outputPath, errorsPath: errorsPath(outputPath), inputPath: inputPath === '-' ? null : inputPath });
  await mkdir(settings.stateDir, { recursive: true });
  const input = await prepareInput({ input: settings.input, stateDir: settings.stateDir });
  const { runId } = await identifyRun(settings, input.path, systemClock);
  const level = settings.logLevel === 'debug' ? 'debug' : 'info';
  const events = createEvents({ to: settings.events, runId, clock: systemClock, log, levels: EVENT_LEVELS, level });
  const stop = stopSignal();
  const post: Post = { core: null, lease: null };
  const server = await startListening(settings, runId, post, log);
  const ledger = await openEmbeddedLedger({ dir: stateFiles(settings.stateDir).store, clock: systemClock });
  try {
    const office = await takeOffice({
      runId,
      ledger,
      files: stateFiles(settings.stateDir),
      clock: systemClock,
      events,
      isResuming,
      win: (floor) => win({ settings, ledger, floor, address: server.address, post, signal: stop.signal, log }),
    });
    const exit = await serve({
      runId,
      settings,
      inputPath: input.path,
      files: stateFiles(settings.stateDir),
      ledger,
      office,
      address: server.address,
      pid: process.pid,
      clock: systemClock,
      random: systemRandom,
      events,
      log,
      interrupted: stop.requested,
      onServing: (core) => {
        post.lease = office.keeper.lease();
        post.core = core;
      },
    });
    if (exit !== EXIT.fenced) await inTime(office.keeper.resign());
    return exit;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (error !== stop.signal.reason) log.warn({ err: error }, 'what was under way when this process was told to end has failed');
    return EXIT.interrupted;
  } finally {
    await server.stop();
    await inTime(ledger.dispose());
    await events.close();
    leaveParent();
  }
}

/** Where this coordinator stands: passive until it serves. */
interface Post {
  core: Loop | null;
  lease: Lease | null;
}

interface Listening {
  readonly address: string;
  stop(): Promise<void>;
}

/** Answers from the start: as a passive coordinator until there is a core. */
async function startListening(settings: CoordinatorSettings, runId: string, post: Post, log: Log): Promise<Listening> {
  const request = certificateRequest(settings);
  const tls = await certificateFor(settings, request, runId);
  const renewal = keepCertificateFresh(settings.tlsDir, request, tls, systemClock, log);
  const server = await startServer({
    listen: settings.listen,
    credentials: serverCredentials(tls, log),
    runId,
    clock: systemClock,
    log,
    core: () => post.core,
    coordinatorInfo: () => infoOf(post, server.address),
  });
  tellParent({ kind: 'listening', address: server.address });
  onParentMessage((message) => {
    if (message.kind === 'worker-exited') post.core?.tell({ kind: 'worker-exited', worker: message.workerId, pid: message.pid });
  });
  return {
    address: server.address,
    stop: async () => {
      renewal.stop();
      await server.stop(SERVER_GRACE_MS);
    },
  };
}

interface Candidacy {
  readonly settings: CoordinatorSettings;
  readonly ledger: Ledger;
  readonly floor: number;
  readonly address: string;
  readonly post: Post;
  readonly signal: AbortSignal;
  readonly log: Log;
}

async function win({ settings, ledger, floor, address, post, signal, log }: Candidacy): Promise<Keeper> {
  return winLease({
    ledger,
    clock: systemClock,
    holder: systemRandom.hex(HOLDER_BYTES),
    process: await ownProcess(),
    address,
    floor,
    ttlMs: settings.timing.coordinatorFailureTimeoutMs,
    renewIntervalMs: settings.timing.leaseRenewIntervalMs,
    isDead: isProcessDead,
    signal,
    onPassive: (lease) => {
      post.lease = lease;
      log.info({ epoch: lease.epoch, address: lease.address }, 'another coordinator holds the lease; this one waits');
    },
    onRenewFailed: (error) => log.warn({ err: error }, 'the lease could not be renewed; it is tried again while the margin lasts'),
  });
}

async function inTime(work: Promise<void>): Promise<void> {
  await Promise.race([work, systemClock.sleep(FAREWELL_MS)]);
}

/** A word from outside to end, or the parent's death: what is held is released, and the process ends at once. */
function stopSignal(): { readonly signal: AbortSignal; readonly requested: Promise<void> } {
  const controller = new AbortController();
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => controller.abort());
  onParentLost(() => controller.abort());
  return { signal: controller.signal, requested };
}

function infoOf({ core, lease }: Post, own: string): CoordinatorInfo {
  const isPrimary = core !== null;
  return { epoch: lease?.epoch ?? 0, role: isPrimary ? 'primary' : 'passive', primaryAddress: isPrimary ? own : (lease?.address ?? '') };
}

function certificateRequest({ listen }: CoordinatorSettings): CertificateRequest {
  return { role: 'coordinator', hosts: [listen.slice(0, listen.lastIndexOf(':'))] };
}

/** The coordinator's certificate; where nobody has brought an authority, a dev CA is made first. */
async function certificateFor(settings: CoordinatorSettings, request: CertificateRequest, runId: string): Promise<TlsFiles> {
  const ca = await ensureDevCa(settings.tlsDir, runId);
  if (ca.isNew) process.stderr.write(`Generated dev CA at ${ca.caPath}\n`);
  return issueCertificate(settings.tlsDir, request);
}

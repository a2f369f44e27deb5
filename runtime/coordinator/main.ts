import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { createEvents } from '../base/events.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { createLog, type Log } from '../base/log.ts';
import { isProcessDead, ownProcess } from '../base/process-identity.ts';
import { systemRandom } from '../base/random.ts';
import { leaveParent, onParentLost, onParentMessage, tellParent } from '../base/supervised.ts';
import { prepareInput } from '../input/spool.ts';
import { type Keeper, winLease } from '../lease/keeper.ts';
import { openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import { EVENT_LEVELS } from '../model/event.ts';
import type { Lease } from '../model/lease.ts';
import type { CoordinatorInfo } from '../model/status.ts';
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

export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { config: { type: 'string' }, resume: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    if (values.help || values.config === undefined) return say(USAGE, values.help ? EXIT.done : EXIT.usage);
    const settings = await loadCoordinatorSettings(values.config);
    return await runCoordinator(settings, values.resume, createLog('coordinator', settings.logLevel));
  } catch (error) {
    if (error instanceof RolloutError) return say(`rollout-coordinator: ${error.message}`, error.exit);
    if (error instanceof TypeError && 'code' in error) return say(`rollout-coordinator: ${error.message}\n\n${USAGE}`, EXIT.usage);
    throw error;
  }
}

function say(text: string, exit: ExitCode): ExitCode {
  process.stderr.write(`${text}\n`);
  return exit;
}

async function runCoordinator(settings: CoordinatorSettings, isResuming: boolean, log: Log): Promise<ExitCode> {
  await mkdir(settings.stateDir, { recursive: true });
  const input = await prepareInput({ input: settings.input, stateDir: settings.stateDir });
  const clock = systemClock;
  const { runId } = await identifyRun(settings, input.path, clock);
  const files = stateFiles(settings.stateDir);
  const events = createEvents({ to: settings.events, runId, clock, log, levels: EVENT_LEVELS, level: settings.logLevel === 'debug' ? 'debug' : 'info' });
  const stop = stopSignal();
  const serving: { core: Loop | null; lease: Lease | null; keeper: Keeper | null } = { core: null, lease: null, keeper: null };
  const request = certificateRequest(settings);
  const tls = await certificateFor(settings, request, runId);
  const renewal = keepCertificateFresh(settings.tlsDir, request, tls, clock, log);
  const server = await startServer({
    listen: settings.listen,
    credentials: serverCredentials(tls, log),
    runId,
    clock,
    log,
    core: () => serving.core,
    coordinatorInfo: () => infoOf(serving.core !== null, serving.keeper?.lease() ?? serving.lease, server.address),
  });
  tellParent({ kind: 'listening', address: server.address });
  onParentMessage((message) => {
    if (message.kind === 'worker-exited') serving.core?.tell({ kind: 'worker-exited', worker: message.workerId, pid: message.pid });
  });
  const ledger = await openEmbeddedLedger({ dir: files.store, clock });
  try {
    const win = async (floor: number): Promise<Keeper> =>
      winLease({
        ledger,
        clock,
        floor,
        holder: systemRandom.hex(16),
        process: await ownProcess(),
        address: server.address,
        ttlMs: settings.timing.coordinatorFailureTimeoutMs,
        renewIntervalMs: settings.timing.leaseRenewIntervalMs,
        isDead: isProcessDead,
        signal: stop.signal,
        onPassive: (lease) => {
          serving.lease = lease;
        },
      });
    const office = await takeOffice({ runId, ledger, files, clock, events, isResuming, win });
    serving.keeper = office.keeper;
    const exit = await serve({
      runId,
      settings,
      inputPath: input.path,
      files,
      ledger,
      office,
      address: server.address,
      pid: process.pid,
      clock,
      random: systemRandom,
      events,
      log,
      interrupted: stop.requested,
      onServing: (core) => {
        serving.core = core;
      },
    });
    if (exit !== EXIT.fenced) await Promise.race([office.keeper.resign(), clock.sleep(FAREWELL_MS)]);
    return exit;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.interrupted;
    throw error;
  } finally {
    renewal.stop();
    await server.stop(FAREWELL_MS / 10);
    await Promise.race([ledger.dispose(), clock.sleep(FAREWELL_MS)]);
    await events.close();
    leaveParent();
  }
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

function infoOf(isPrimary: boolean, lease: Lease | null, own: string): CoordinatorInfo {
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

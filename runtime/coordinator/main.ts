import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { createEvents, type Events } from '../base/events.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { keepFilesPrivate } from '../base/fs/private-files.ts';
import { createLog, type Log } from '../base/log.ts';
import { endSignals } from '../base/process/hangup.ts';
import { isProcessDead, ownProcess } from '../base/process/process-identity.ts';
import { runStandalone, tell } from '../base/process/standalone.ts';
import { leaveParent, onParentLost } from '../base/process/supervised.ts';
import { startWatchdog } from '../base/process/watchdog.ts';
import { systemRandom } from '../base/random.ts';
import { prepareInput } from '../input/file/spool.ts';
import type { LeaseHolder } from '../lease/contract.ts';
import type { Ledger } from '../ledger/contract.ts';
import { openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import { EVENT_LEVELS } from '../model/event.ts';
import { stateFiles } from '../run-dir/state-files.ts';
import { bootDisk } from './boot/boot-disk.ts';
import { identifyRun } from './boot/identify.ts';
import { waitForLease } from './boot/lease-candidate.ts';
import { claimOutputs, type Outputs } from './boot/outputs.ts';
import { recover } from './boot/recover.ts';
import type { Again } from './boot/reopening.ts';
import { waitForDiskSpace } from './boot/wait-for-disk-space.ts';
import { serve } from './serve.ts';
import { STARTING } from './server/coordinator-status.ts';
import { startHealth } from './server/health.ts';
import { healthOf, type Listening, type ServerContext, startListening } from './server/listening.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from './settings.ts';
import { createFencing, type Fencing } from './shutdown/fencing.ts';
import { NO_TEST_HOOK, prepareTestFence, type TestHook } from './test-fence.ts';
import { USAGE } from './usage.ts';

/** How long an ending process may take to let go of what it has open. */
const RESIGN_MS = 2_500;
/** How long a deposed one waits for what is under way. */
const LEAVE_MS = 500;
/** A deposed process is gone within five seconds: leaving, resigning and the last events, a second at most, take less than this. */
const FENCED_LIMIT_MS = 4_200;
const KILLED_BY_ITSELF =
  'rollout-coordinator: another coordinator has taken the run over, and this process would not end: killed by its watchdog';

/** What the command line asks for beside the settings. */
interface Wish {
  readonly isResuming: boolean;
  readonly again: Again;
}

const NO_WISH: Wish = { isResuming: false, again: { failed: false, damaged: false } };
const SWITCH = { type: 'boolean', default: false } as const;

export async function main(argv: readonly string[]): Promise<ExitCode> {
  return runStandalone({ name: 'rollout-coordinator', usage: USAGE }, async () => {
    if (argv[0] === 'test-fence') {
      const { settings, testHook } = await prepareTestFence(argv.slice(1));
      return await runCoordinator(settings, NO_WISH, createLog('coordinator', settings.logLevel), testHook);
    }
    const { values } = parseArgs({
      args: [...argv],
      options: { config: { type: 'string' }, resume: SWITCH, 'retry-failed': SWITCH, 'rerun-damaged': SWITCH, help: SWITCH },
    });
    if (values.help || values.config === undefined) return tell(USAGE, values.help ? EXIT.done : EXIT.usage);
    const settings = await loadCoordinatorSettings(values.config);
    const wish = { isResuming: values.resume, again: { failed: values['retry-failed'], damaged: values['rerun-damaged'] } };
    return await runCoordinator(settings, wish, createLog('coordinator', settings.logLevel));
  });
}

async function runCoordinator(settings: CoordinatorSettings, wish: Wish, log: Log, testHook: TestHook = NO_TEST_HOOK): Promise<ExitCode> {
  const stop = stopSignal(log);
  const context: ServerContext = { core: null, lease: null, coordinatorStatus: STARTING };
  const health = await startHealth(settings.http, log, () => healthOf(context, systemClock.wallMs()));
  const standby: Standby = {
    stop,
    context,
    http: health.address,
    untilDiskSpace: async () => waitForDiskSpace({ settings, context, signal: stop.signal, clock: systemClock, log }),
  };
  try {
    // Before anything is written: certificates and marks need space too.
    await standby.untilDiskSpace();
    return stop.signal.aborted ? EXIT.interrupted : await coordinate(settings, wish, log, testHook, standby);
  } finally {
    await health.stop();
  }
}

/** What a coordinator has before it has written anything. */
interface Standby {
  readonly stop: StopSignal;
  readonly context: ServerContext;
  /** host:port of the health endpoints; null for none. */
  readonly http: string | null;
  readonly untilDiskSpace: () => Promise<void>;
}

async function coordinate(settings: CoordinatorSettings, wish: Wish, log: Log, testHook: TestHook, standby: Standby): Promise<ExitCode> {
  const outputs = await claimOutputs(settings, keepFilesPrivate());
  const input = await prepareInput({ input: settings.input, form: settings.form, stateDir: settings.stateDir });
  const { runId } = await identifyRun(settings, input.path, systemClock);
  const level = settings.logLevel === 'debug' ? 'debug' : 'info';
  const events = createEvents({ to: settings.events, runId, clock: systemClock, log, levels: EVENT_LEVELS, level });
  const watchdog = startWatchdog({ limitMs: FENCED_LIMIT_MS, lastWords: KILLED_BY_ITSELF });
  const fencing = createFencing({ watchdog, events, log, onFenced: testHook.onFenced });
  const { stop, context } = standby;
  const server = await startListening({ settings, runId, context, clock: systemClock, log });
  const ledger = testHook.ledger(await openEmbeddedLedger({ dir: stateFiles(settings.stateDir).store, clock: systemClock }));
  try {
    const parts = {
      settings,
      wish,
      runId,
      inputPath: input.path,
      ledger,
      address: server.address,
      events,
      log,
      ...outputs,
      ...standby,
    };
    return await unlessFenced(fencing, lead(parts, fencing, testHook));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (error !== stop.signal.reason) log.warn({ err: error }, 'what was under way when this process was told to end has failed');
    return EXIT.interrupted;
  } finally {
    context.coordinatorStatus = { kind: 'ending' };
    await inTime(RESIGN_MS, letGo(server, ledger));
    await events.close();
    leaveParent();
  }
}

interface Parts extends Standby, Outputs {
  readonly settings: CoordinatorSettings;
  readonly wish: Wish;
  readonly runId: string;
  readonly inputPath: string;
  readonly ledger: Ledger;
  readonly address: string;
  readonly events: Events;
  readonly log: Log;
}

/** Waits for the lease, holds it, serves, and gives it up. */
async function lead(parts: Parts, fencing: Fencing, testHook: TestHook): Promise<ExitCode> {
  const { settings, wish, runId, inputPath, ledger, address, http, outputMode, guard, untilDiskSpace, context, stop, events, log } = parts;
  const files = stateFiles(settings.stateDir);
  const [clock, random] = [systemClock, systemRandom];
  const win = async (floor: number): Promise<LeaseHolder> => {
    const leaseHolder = await waitForLease({
      ...{ settings, ledger, floor, address, context, clock, random, log },
      process: await ownProcess(),
      isDead: isProcessDead,
      signal: stop.signal,
      waitForDiskSpace: untilDiskSpace,
    });
    fencing.watch(leaseHolder);
    return leaseHolder;
  };
  const recovered = await recover({
    ...{ ledger, clock, events, isResuming: wish.isResuming, isRerunning: wish.again.damaged, win },
    disk: bootDisk(files, runId),
    onFenced: fencing.fence,
  });
  const { leaseHolder } = recovered;
  const exit = await serve({
    runId,
    settings,
    inputPath,
    outputMode,
    guard,
    files,
    ledger,
    recovered,
    again: wish.again,
    address,
    http,
    pid: process.pid,
    clock,
    random,
    events,
    log,
    interrupted: stop.requested,
    onFenced: fencing.fence,
    onServing: (core) => {
      context.lease = leaseHolder.lease();
      context.core = core;
      testHook.onServing(leaseHolder, ledger);
    },
  });
  if (exit !== EXIT.fenced) await inTime(RESIGN_MS, leaseHolder.resign());
  return exit;
}

/** A deposed coordinator waits a moment for what is under way, whatever it is, and goes. */
async function unlessFenced(fencing: Fencing, work: Promise<ExitCode>): Promise<ExitCode> {
  await Promise.race([work, fencing.fenced]);
  if (!fencing.isFenced()) return work;
  await inTime(LEAVE_MS, Promise.allSettled([work]));
  return EXIT.fenced;
}

async function letGo(server: Listening, ledger: Ledger): Promise<void> {
  await server.stop();
  await ledger.dispose();
}

async function inTime(limitMs: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, systemClock.sleep(limitMs)]);
}

interface StopSignal {
  readonly signal: AbortSignal;
  readonly requested: Promise<void>;
}

/** A word from outside to end, or the parent's death: what is held is released, and the process ends at once. */
function stopSignal(log: Log): StopSignal {
  const controller = new AbortController();
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!controller.signal.aborted) log.info({ signal }, 'told to end: another coordinator, or the next start, goes on with the run');
    controller.abort();
  };
  for (const name of endSignals()) process.on(name, onSignal);
  onParentLost(() => controller.abort());
  return { signal: controller.signal, requested };
}

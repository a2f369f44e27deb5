import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { createEvents } from '../base/events.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { keepFilesPrivate } from '../base/fs/private-files.ts';
import { inTime } from '../base/in-time.ts';
import { createLog, type Log } from '../base/log.ts';
import { endSignals } from '../base/process/hangup.ts';
import { ownVersion } from '../base/process/own-version.ts';
import { ownProcess } from '../base/process/process-identity.ts';
import { runStandalone, tell } from '../base/process/standalone.ts';
import { isSupervised, leaveParent, onParentLost, tellParent } from '../base/process/supervised.ts';
import { startWatchdog } from '../base/process/watchdog.ts';
import { systemRandom } from '../base/random.ts';
import { prepareInput } from '../input/file/spool.ts';
import type { Ledger } from '../ledger/contract.ts';
import { withDeadlines } from '../ledger/deadline.ts';
import { EVENT_LEVELS } from '../model/event.ts';
import { storeText } from '../model/store.ts';
import { withWayOut } from '../model/way-out.ts';
import { identifyRun } from './boot/identify.ts';
import { claimOutputs } from './boot/outputs.ts';
import type { Again } from './boot/reopening.ts';
import { waitForDiskSpace } from './boot/wait-for-disk-space.ts';
import { lead, RESIGN_MS } from './lead.ts';
import { StoreTrouble } from './perform/store-trouble.ts';
import { runPlace } from './run-place.ts';
import { STARTING } from './server/coordinator-status.ts';
import { startHealth } from './server/health.ts';
import { healthOf, type Listening, type ServerContext, startListening } from './server/listening.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from './settings.ts';
import { unlessExpired } from './shutdown/expired-run.ts';
import { openStore } from './store.ts';
import { prepareTestFence } from './test-fence.ts';
import type { TestHook } from './test-hook.ts';
import { USAGE } from './usage.ts';

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
const NO_TEST_HOOK: TestHook = { ledger: (ledger) => ledger, onServing: () => undefined, onCommand: null };
const SWITCH = { type: 'boolean', default: false } as const;

export async function main(argv: readonly string[]): Promise<ExitCode> {
  return runStandalone({ name: 'rollout-coordinator', usage: USAGE }, async () => {
    if (argv[0] === 'test-fence') {
      const { settings, testHook } = await prepareTestFence(argv.slice(1));
      return await runCoordinator(settings, NO_WISH, createLog('coordinator', settings.logLevel), testHook);
    }
    const { values } = parseArgs({
      args: [...argv],
      options: {
        config: { type: 'string' },
        advertise: { type: 'string' },
        resume: SWITCH,
        'retry-failed': SWITCH,
        'rerun-damaged': SWITCH,
        help: SWITCH,
      },
    });
    if (values.help || values.config === undefined) return tell(USAGE, values.help ? EXIT.done : EXIT.usage);
    const { advertise } = values;
    const settings = await loadCoordinatorSettings(values.config, advertise === undefined ? {} : { advertise });
    const wish = { isResuming: values.resume, again: { failed: values['retry-failed'], damaged: values['rerun-damaged'] } };
    return await runCoordinator(settings, wish, createLog('coordinator', settings.logLevel));
  });
}

async function runCoordinator(settings: CoordinatorSettings, wish: Wish, log: Log, testHook: TestHook = NO_TEST_HOOK): Promise<ExitCode> {
  const stop = stopSignal(log);
  const context: ServerContext = { core: null, lease: null, isLeaseFresh: () => false, coordinatorStatus: STARTING, storeTrouble: null };
  const version = await ownVersion(import.meta.url);
  const health = await startHealth(settings.http, log, () => healthOf(context, version, systemClock.wallMs()));
  const standby: Standby = {
    stop,
    context,
    http: health.address,
    untilDiskSpace: async () => waitForDiskSpace({ settings, context, signal: stop, clock: systemClock, log }),
  };
  try {
    // Before anything is written: certificates and marks need space too.
    await standby.untilDiskSpace();
    return stop.aborted ? EXIT.interrupted : await coordinate(settings, wish, log, testHook, standby);
  } finally {
    await health.stop();
  }
}

/** What a coordinator has before it has written anything. */
interface Standby {
  readonly stop: AbortSignal;
  readonly context: ServerContext;
  /** host:port of the health endpoints; null for none. */
  readonly http: string | null;
  readonly untilDiskSpace: () => Promise<void>;
}

async function coordinate(settings: CoordinatorSettings, wish: Wish, log: Log, testHook: TestHook, standby: Standby): Promise<ExitCode> {
  const outputs = await claimOutputs(settings, keepFilesPrivate());
  const input = await prepareInput({ input: settings.input, form: settings.form, stateDir: settings.stateDir });
  const [clock, random] = [systemClock, systemRandom];
  const run = await identifyRun(settings, input.path, clock);
  const { runId } = run;
  const level = settings.logLevel === 'debug' ? 'debug' : 'info';
  const events = createEvents({ to: settings.events, runId, clock, log, levels: EVENT_LEVELS, level });
  const watchdog = startWatchdog({ limitMs: FENCED_LIMIT_MS, lastWords: KILLED_BY_ITSELF });
  const { stop, context, http, untilDiskSpace: waitForDiskSpace } = standby;
  const server = await startListening({ settings, runId, context, clock, log });
  const address = settings.advertise ?? server.address;
  const onChange = (why: string | null): void => {
    context.storeTrouble = why;
  };
  const trouble = new StoreTrouble({ store: storeText(settings.store), clock, log, tell: tellParent, onChange });
  const store = await openStore({ settings, run, env: process.env, clock, random, log, trouble });
  const ledger = trouble.of(withDeadlines(testHook.ledger(store.ledger), clock, store.limits));
  try {
    const { again, isResuming } = wish;
    const shared = { runId, settings, ledger, address, clock, random, log };
    return await lead({
      ...shared,
      ...{ context, events, stop, waitForDiskSpace, watchdog, testHook, isResuming },
      place: runPlace({
        ...shared,
        ...outputs,
        results: store.results,
        admission: store.admission,
        inputPath: input.path,
        again,
        http,
        pid: process.pid,
      }),
      isRerunning: again.damaged,
      isSupervised: isSupervised(),
      process: await ownProcess(),
      isDead: store.isDead,
      killedPid: store.killedPid,
    });
  } catch (error) {
    throw withWayOut(await unlessExpired(error, { ledger, ...settings }), settings.store);
  } finally {
    context.coordinatorStatus = { kind: 'ending' };
    await inTime(clock, RESIGN_MS, letGo(server, ledger));
    await events.close();
    leaveParent();
  }
}

async function letGo(server: Listening, ledger: Ledger): Promise<void> {
  await server.stop();
  await ledger.dispose();
}

/** A word from outside to end, or the parent's death: what is held is released, and the process ends at once. */
function stopSignal(log: Log): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!controller.signal.aborted) log.info({ signal }, 'told to end: another coordinator, or the next start, goes on with the run');
    controller.abort();
  };
  for (const name of endSignals()) process.on(name, onSignal);
  onParentLost(() => controller.abort());
  return controller.signal;
}

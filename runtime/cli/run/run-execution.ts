import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { mustGet } from '../../base/assert.ts';
import { parseDurationMs } from '../../base/config/quantity.ts';
import { settingsText } from '../../base/config/settings-file.ts';
import { RolloutError } from '../../base/errors.ts';
import { createEvents } from '../../base/events.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { isNoSpace } from '../../base/fs/disk-space.ts';
import { loopback } from '../../base/loopback.ts';
import { errorsPath } from '../../format/output-line.ts';
import { EVENT_LEVELS, type RunEvent } from '../../model/event.ts';
import { overLimit, parseFailureLimit } from '../../model/failure-limit.ts';
import type { RunStatus } from '../../model/status.ts';
import type { Store } from '../../model/store.ts';
import { readNotes } from '../../results/export/notes-file.ts';
import { logFile, type StatePaths, workerConfigFile, workerDir } from '../../run-dir/paths.ts';
import { certificatesMade } from '../../tls/ca.ts';
import { againSwitches, type RunArguments } from '../arguments.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { coordinatorConfig, coordinatorEnvironment, planSlots, type Slot, workerConfig, workerEnvironment } from '../process-config.ts';
import { forgetEnd, noteEnd } from '../status/last-end.ts';
import { openLiveRun } from '../status/live-run.ts';
import { openItems } from '../status/run-status.ts';
import { readProgress } from '../status/stored-ledger.ts';
import { readStoredRun } from '../status/stored-run.ts';
import { prepareCertificates } from '../verbs/certificates.ts';
import { createProgressView, type ProgressView } from '../view/progress.ts';
import { childStarter } from './child.ts';
import { createChildRegister } from './leftovers.ts';
import { logTail } from './log-tail.ts';
import { endingText, endJson, endReason, endText, type RunEnd } from './run-summary.ts';
import type { SupervisionEnd, SupervisorPlan, WorkerPlan } from './supervised-run.ts';
import { Supervisor, type SupervisorDeps } from './supervisor.ts';
import { onAnswer, onNoAnswer, type Unanswered } from './unanswered.ts';

export interface Execution {
  readonly runId: string;
  readonly inputPath: string;
  readonly outputMode: number;
  readonly store: Store;
  readonly args: RunArguments;
  readonly paths: StatePaths;
  /** The run was paused: the coordinator is told to go on. */
  readonly isPaused: boolean;
  readonly slotsWithOutcomes: readonly string[];
}

/** The bar seems to move, and the coordinator does not feel two questions a second. */
const STATUS_EVERY_MS = 500;

/** Starts the processes of a run, shows how far it is, and says at the end what has come of it. */
export async function executeRun(deps: CliDeps, execution: Execution): Promise<ExitCode> {
  const { args, paths } = execution;
  const startedMs = deps.clock.monotonicMs();
  await forgetEnd(paths.lastEnd);
  const ca = await prepareCertificates(paths.tlsDir, execution.runId, args.workers);
  if (ca.isNew) say(deps.err, [certificatesMade(ca.caPath)]);
  const view = createProgressView(
    { err: deps.err, isDrawable: deps.isDrawable, out: deps.out, nowMs: () => deps.clock.monotonicMs() },
    args.json,
  );
  let last: RunStatus | null = null;
  const supervisor = await superviseBy(deps, execution, view, {
    hasOpenItems: () => last === null || openItems(last) > 0 || !last.isIndexed,
    hasServed: () => last !== null,
    isConnected: (name) => last?.workers.some((worker) => worker.workerId === name) ?? false,
    onEnding: ({ exit, reason }) => {
      const lines = endingText({ exit, reason, inFlight: last?.running ?? 0, drainTimeout: args.drainTimeout });
      for (const line of lines) view.notice(line);
    },
  });
  const release = deps.onInterrupt(() => onInterrupt(supervisor, view, args));
  const watching = new AbortController();
  const watched = watch(deps, execution, supervisor, watching.signal, {
    onStatus: (status) => {
      last = status;
      view.show(status);
    },
    onNotice: (line) => view.notice(line),
  });
  try {
    const end = await supervisor.run();
    watching.abort();
    await watched;
    view.stop();
    const told = await describeEnd(deps, execution, last, end, (deps.clock.monotonicMs() - startedMs) / 1000);
    say(deps.err, endText(told));
    if (args.json) sayJson(deps.out, endJson(told));
    if (told.exit === EXIT.notReachable) await noteEnd(paths.lastEnd, { epoch: told.epoch, reason: endReason(told) });
    return told.exit;
  } finally {
    watching.abort();
    view.stop();
    release();
  }
}

function onInterrupt(supervisor: Supervisor, view: ProgressView, args: RunArguments): void {
  view.notice(
    supervisor.isDraining
      ? 'Stopping at once.'
      : `Stopping: items in flight get up to ${args.drainTimeout} to finish. Once more stops at once.`,
  );
  supervisor.interrupt();
}

type Seen = Pick<SupervisorDeps, 'hasOpenItems' | 'hasServed' | 'isConnected' | 'onEnding'>;

async function superviseBy(deps: CliDeps, execution: Execution, view: ProgressView, seen: Seen): Promise<Supervisor> {
  const register = createChildRegister(execution.paths.children);
  return new Supervisor(
    {
      clock: deps.clock,
      start: childStarter(deps.execPath, deps.clock),
      notice: (line) => view.notice(line),
      onStarted: async (pid) => register.add(pid),
      ...seen,
    },
    await planProcesses(deps, execution),
  );
}

async function planProcesses(deps: CliDeps, execution: Execution): Promise<SupervisorPlan> {
  const { args, paths, isPaused, store } = execution;
  await writeSettings(paths.coordinatorConfig, coordinatorConfig(args, { ...execution, loopback: loopback() }, paths));
  return {
    coordinator: {
      name: 'coordinator',
      argv: [deps.launcherOf('coordinator'), '--config', paths.coordinatorConfig],
      env: coordinatorEnvironment(args, deps.env),
      logFile: logFile(paths, 'coordinator'),
    },
    firstArguments: [...(isPaused ? ['--resume'] : []), ...againSwitches(args)],
    workers: planSlots(args, execution.slotsWithOutcomes).map((slot) => planWorker(deps, execution, slot)),
    drainTimeoutMs: mustGet(parseDurationMs(args.drainTimeout), 'a checked duration'),
    // Only a server may be away.
    waitStoreMs: store.kind === 'redis' ? mustGet(parseDurationMs(args.redisWait), 'a checked duration') : Number.POSITIVE_INFINITY,
  };
}

function planWorker(deps: CliDeps, { args, paths }: Execution, slot: Slot): WorkerPlan {
  const config = workerConfigFile(paths, slot.name);
  return {
    name: slot.name,
    argv: [deps.launcherOf('worker'), '--config', config],
    env: workerEnvironment(args, deps.env),
    logFile: logFile(paths, slot.name),
    prepare: async (coordinators) => {
      await mkdir(workerDir(paths, slot.name), { recursive: true, mode: 0o700 });
      // On a full disk the settings of its last start will do: the worker is told where the coordinators are.
      await writeSettings(config, workerConfig(args, slot, coordinators, paths)).catch((error: unknown) => {
        if (!isNoSpace(error) || !existsSync(config)) throw error;
      });
    },
  };
}

async function writeSettings(path: string, settings: Record<string, unknown>): Promise<void> {
  await writeFileAtomic(path, settingsText(settings), 0o600);
}

interface Watching {
  readonly onStatus: (status: RunStatus) => void;
  readonly onNotice: (line: string) => void;
}

async function watch(deps: CliDeps, execution: Execution, supervisor: Supervisor, signal: AbortSignal, watching: Watching): Promise<void> {
  const { paths } = execution;
  const live = await openLiveRun({ tlsDir: paths.tlsDir, address: async () => supervisor.address, clock: deps.clock, log: deps.log });
  let unanswered: Unanswered = { answeredMs: deps.clock.monotonicMs(), told: null };
  try {
    while (!signal.aborted) {
      const status = await live.status();
      if (status !== null) watching.onStatus(status);
      const nowMs = deps.clock.monotonicMs();
      const isSilent = status === null && supervisor.address !== null;
      // A coordinator that has ended is not one that hangs, however long its workers take to hand over.
      const isLeaving = supervisor.isDraining || supervisor.isEnding;
      const log = logFile(paths, 'coordinator');
      const { next, notice, event } = isSilent ? onNoAnswer(unanswered, nowMs, log, live.silence()) : onAnswer(unanswered, nowMs);
      unanswered = next;
      if (notice !== null && !isLeaving) watching.onNotice(notice);
      if (event !== null && !isLeaving) await emitOnce(deps, execution, event);
      await deps.clock.sleep(STATUS_EVERY_MS, signal);
    }
  } finally {
    live.close();
  }
}

/** Beside the coordinator, which cannot know it. As everywhere, an event that cannot be written is lost. */
async function emitOnce({ clock, log }: CliDeps, { paths, runId }: Execution, event: RunEvent): Promise<void> {
  try {
    const events = createEvents({ to: paths.events, runId, clock, log, levels: EVENT_LEVELS });
    events.emit(event);
    await events.close();
  } catch (error) {
    log.warn({ err: error }, 'an event is lost');
  }
}

/** The store has the last word: it is read once nobody writes it any more. Where it does not answer, its last coordinator has. */
async function describeEnd(
  deps: CliDeps,
  execution: Execution,
  last: RunStatus | null,
  end: SupervisionEnd,
  seconds: number,
): Promise<RunEnd> {
  const { args, paths } = execution;
  const stored = await readStoredRun(paths);
  const { done, failed, state, epoch } = await readProgress(deps.env, paths).catch((error: unknown) => lastToldUnless(error, last));
  return {
    exit: end.exit,
    epoch,
    done,
    failed,
    notes: await readNotes(paths.answerNotes),
    items: stored?.index?.items ?? null,
    invalid: stored?.index?.invalid ?? null,
    reason: state.kind === 'paused' ? state.reason : end.reason,
    isOverLimit: isOverLimit(args, failed, stored?.index?.items ?? null),
    seconds: Math.round(seconds * 10) / 10,
    output: args.output,
    errors: errorsPath(args.output),
    stateDir: paths.stateDir,
    logLines: end.failed === null ? [] : await logTail(end.failed.logFile, end.failed.fromByte),
    logFile: end.failed?.logFile ?? null,
  };
}

function lastToldUnless(error: unknown, last: RunStatus | null): Pick<RunStatus, 'done' | 'failed' | 'state' | 'epoch'> {
  if (last === null || !(error instanceof RolloutError) || error.code !== 'STORE_FAILED') throw error;
  return last;
}

function isOverLimit({ maxFailed }: RunArguments, failed: number, items: number | null): boolean {
  const limit = maxFailed === undefined ? null : parseFailureLimit(maxFailed);
  return overLimit(limit, failed, items) !== null;
}

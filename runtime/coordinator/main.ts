import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { createEvents } from '../base/events.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { createLog, type Log } from '../base/log.ts';
import { systemRandom } from '../base/random.ts';
import { runStandalone, tell } from '../base/standalone.ts';
import { leaveParent, onParentLost } from '../base/supervised.ts';
import { prepareInput } from '../input/spool.ts';
import { openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import { EVENT_LEVELS } from '../model/event.ts';
import { errorsPath } from '../results/output-line.ts';
import { checkOutputTarget } from '../results/output-target.ts';
import { stand } from './candidacy.ts';
import { stateFiles } from './files.ts';
import { identifyRun } from './identify.ts';
import { type Post, startListening } from './listening.ts';
import { recover } from './recover.ts';
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
  const server = await startListening({ settings, runId, post, clock: systemClock, log });
  const ledger = await openEmbeddedLedger({ dir: stateFiles(settings.stateDir).store, clock: systemClock });
  try {
    const recovered = await recover({
      runId,
      ledger,
      files: stateFiles(settings.stateDir),
      clock: systemClock,
      events,
      isResuming,
      win: (floor) =>
        stand({
          settings,
          ledger,
          floor,
          address: server.address,
          post,
          signal: stop.signal,
          clock: systemClock,
          random: systemRandom,
          log,
        }),
    });
    const exit = await serve({
      runId,
      settings,
      inputPath: input.path,
      files: stateFiles(settings.stateDir),
      ledger,
      recovered,
      address: server.address,
      pid: process.pid,
      clock: systemClock,
      random: systemRandom,
      events,
      log,
      interrupted: stop.requested,
      onServing: (core) => {
        post.lease = recovered.keeper.lease();
        post.core = core;
      },
    });
    if (exit !== EXIT.fenced) await inTime(recovered.keeper.resign());
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

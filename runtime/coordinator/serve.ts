import { aborted, onAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Events } from '../base/events.ts';
import type { ExitCode } from '../base/exit.ts';
import { EXIT } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Indexing } from '../input/index/indexer.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { ResultsRoom } from '../model/results-kind.ts';
import type { Timing } from '../model/timing.ts';
import { reopenForMore } from './boot/checked-log.ts';
import type { Recovered } from './boot/recover.ts';
import { createCycle, noWrites, type WriteCounts } from './perform/cycle.ts';
import { createLedgerWriter, type LedgerWriter } from './perform/ledger-writer.ts';
import { createLoop, type Loop } from './perform/loop.ts';
import { createPerformer, type Perform } from './perform/performer.ts';
import { Replies } from './perform/replies.ts';
import { createSource, type Source } from './perform/source.ts';
import { answerFinished, FINISHED_STAY_MS } from './progress/ending.ts';
import type { RunPlace } from './run-place.ts';
import type { CoordinatorSettings } from './settings.ts';
import { createEnd, type FirstEnd } from './shutdown/end.ts';
import { exitOf, leave } from './shutdown/leaving.ts';
import { isStoreBehind } from './shutdown/store-behind.ts';
import type { Fact } from './state/facts.ts';
import { stateFrom } from './state/mirror.ts';
import type { MachineSettings, State } from './state/state.ts';
import type { TestHook } from './test-hook.ts';

export type ServeSettings = Omit<MachineSettings, keyof Timing> & Pick<CoordinatorSettings, 'timing' | 'form'>;

/** What a coordinator is joined from. main.ts makes it of the machine that it runs on, the simulation of its world. */
export interface ServeOptions {
  readonly runId: string;
  readonly settings: ServeSettings;
  readonly place: RunPlace;
  readonly ledger: Ledger;
  readonly recovered: Recovered;
  /** Started by `rollout run`, which ends its workers itself. */
  readonly isSupervised: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly log: Log;
  /** Aborts when the process is to end without having finished. */
  readonly stop: AbortSignal;
  /** From now on the server may answer with this core. */
  readonly onServing: (core: Loop, writes: WriteCounts) => void;
  readonly onCommand: TestHook['onCommand'];
}

/** Serves the run until it is over, paused, fenced or interrupted; answers the exit code. Rejects where it cannot go on. */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { recovered, place, clock, random, ledger } = options;
  const { leaseHolder } = recovered;
  const { epoch } = leaseHolder.lease();
  const found = recovered.scan.progress.state;
  if (found.kind === 'paused') return refusePaused(options, found.reason);
  const writer = createLedgerWriter({ leaseHolder, clock, random });
  const indexing = place.startIndexing();
  try {
    // Before the log is compared or exported: neither is to go by the items of another list.
    const refused = place.admit === null ? null : await refusalOfList({ options, writer, indexing, admit: place.admit });
    if (refused !== null) return refused;
    const { scan, checked } = await place.checkLog({
      epoch,
      scan: recovered.scan,
      writer,
      nextStamp: () => leaseHolder.nextStamp(),
      indexing,
    });
    const ready = { ...options, recovered: { ...recovered, scan }, writer, indexing, checked };
    const isCompleted = scan.progress.state.kind === 'completed';
    if (isCompleted && !(await hasGrown(ready))) return await finishAgain(ready);
    if (place.refuseInvalid !== null && !(await isIndexed(ready))) return EXIT.interrupted;
    await place.refuseInvalid?.(await indexing.done);
    if (isCompleted) await reopenForMore(ledger, leaseHolder.nextStamp(), writer);
    return await run(ready);
  } finally {
    await indexing.stop();
  }
}

/** A run whose log and ledger have been compared, or are being compared. */
interface Ready extends ServeOptions {
  readonly writer: LedgerWriter;
  readonly indexing: Indexing;
  readonly checked: Promise<void>;
}

function refusePaused({ log }: ServeOptions, reason: string): ExitCode {
  sayPaused(log, reason);
  return EXIT.paused;
}

/** The last thing that a coordinator logs: whoever started it without a supervisor reads it there. */
function sayPaused(log: Log, reason: string): void {
  log.error({ reason }, 'the run is paused; start with --resume to go on');
}

interface Unadmitted {
  readonly options: ServeOptions;
  readonly writer: LedgerWriter;
  readonly indexing: Indexing;
  readonly admit: NonNullable<RunPlace['admit']>;
}

/** The whole list is indexed first, and may be refused; null where it is not. */
async function refusalOfList({ options, writer, indexing, admit }: Unadmitted): Promise<ExitCode | null> {
  const { recovered, stop } = options;
  if (!(await isIndexed({ indexing, stop }))) return EXIT.interrupted;
  const summary = await indexing.done;
  const { done, failed } = recovered.scan.progress;
  const admitted = await writer.write(() => admit(recovered.leaseHolder.lease().epoch, summary, done + failed));
  if (admitted === null) return EXIT.fenced;
  return admitted.kind === 'full' ? leave({ kind: 'results-full', reason: admitted.reason }, 0) : null;
}

/** False where the process is told to end before the index is whole. */
async function isIndexed({ indexing, stop }: Pick<Ready, 'indexing' | 'stop'>): Promise<boolean> {
  return (await Promise.race([indexing.done, aborted(stop)])) !== undefined;
}

/** The list of a completed run has more items than are recorded: `--extend` has proved that it begins with the old one. */
async function hasGrown({ recovered, indexing }: Ready): Promise<boolean> {
  const { items } = await indexing.done;
  const { done, failed } = recovered.scan.progress;
  return items > done + failed;
}

/** Completed before, perhaps killed before the export: the files are made again, they come out the same. */
async function finishAgain(ready: Ready): Promise<ExitCode> {
  const { place, indexing, recovered, log, isSupervised } = ready;
  const { items } = await indexing.done;
  await place.exportResults(recovered.leaseHolder.lease().epoch, items);
  const exit = exitOf(recovered.scan.progress.failed);
  // The supervisor ends its workers itself.
  if (isSupervised) return exit;
  log.info({ forMs: FINISHED_STAY_MS }, 'the run is finished: workers that still hold outcomes of it are answered for a while');
  const end = await run({ ...ready, checked: Promise.resolve() }, true);
  return end === EXIT.interrupted ? exit : end;
}

async function run(ready: Ready, isOver = false): Promise<ExitCode> {
  const { runId, settings, recovered, place, indexing, checked, stop, clock, events } = ready;
  const { leaseHolder } = recovered;
  const { epoch } = leaseHolder.lease();
  const reader = await place.openInput(indexing);
  const source = createSource(indexing, reader);
  const replies = new Replies();
  const state = stateFrom(machineSettings(settings), epoch, recovered.scan, clock.monotonicMs());
  if (isOver) answerFinished(state, clock.monotonicMs());
  const end = createEnd();
  const writes = noWrites();
  const perform = (tell: (fact: Fact) => void): Perform => performerOf(ready, { state, source, replies, end, writes, tell });
  const isFresh = (): boolean => leaseHolder.isFresh();
  const { indexed } = source;
  const room = (): ResultsRoom | null => recovered.log.room();
  const loop = createLoop({ runId, state, clock, replies, isFresh, room, indexed, onFailure: end.fail, perform });
  indexing.done.then((summary) => place.keepIdentity(summary)).catch(end.fail);
  checked.catch(end.fail);
  onAbort(leaseHolder.fenced, () => end.come({ kind: 'fenced' }));
  onAbort(leaseHolder.broken, () => end.fail(leaseHolder.broken.reason));
  onAbort(stop, () => end.come({ kind: 'interrupted' }));
  await place.writeServing(epoch);
  events.emit({ kind: 'run_started', epoch, items: source.indexed().items, done: state.done, failed: state.failed });
  loop.start();
  // Read before the first worker is heard: none on a machine that is about to go is given anything.
  const hints = await place.watchHints((now) => loop.tell({ kind: 'hints', hints: now }));
  ready.onServing(loop, writes);
  let lastWord = new RolloutError('COORDINATOR_UNREACHABLE', 'this coordinator has ended');
  try {
    return leave(await end.promise, state.failed);
  } catch (error) {
    if (isStoreBehind(error)) lastWord = error;
    throw error;
  } finally {
    loop.stop(lastWord);
    hints?.stop();
    await reader.close();
  }
}

interface Parts {
  readonly state: State;
  readonly source: Source;
  readonly replies: Replies;
  readonly end: FirstEnd;
  readonly writes: WriteCounts;
  readonly tell: (fact: Fact) => void;
}

function performerOf(ready: Ready, { state, source, replies, end, writes, tell }: Parts): Perform {
  const { recovered, place, ledger, writer, indexing, clock, events, log, settings, isSupervised, onCommand } = ready;
  const { epoch } = recovered.leaseHolder.lease();
  const onFull = (reason: string): void => end.come({ kind: 'results-full', reason });
  const perform = createPerformer({
    epoch,
    nextStamp: () => recovered.leaseHolder.nextStamp(),
    ledger,
    writer,
    cycle: createCycle({ epoch, log: recovered.log, ledger, writer, tell, onFailure: end.fail, onFull, writes }),
    replies,
    source,
    form: settings.form,
    events,
    log,
    clock,
    exportResults: () => place.exportResults(epoch, indexing.count()),
    onStop: (kind, reason) => {
      if (kind === 'paused' && !isSupervised) sayPaused(log, reason);
      end.come(kind === 'stalled' ? { kind, reason } : { kind });
    },
    tell,
    onFailure: end.fail,
    onStoreBehind: (seen) => place.refuseStoreBehind(epoch, seen),
  });
  if (onCommand === null) return perform;
  return (command) => {
    onCommand(state);
    perform(command);
  };
}

function machineSettings(settings: ServeSettings): MachineSettings {
  const { timing, drainTimeoutMs, maxAttempts, breaker, maxFailedItems, stragglers, stallAfterMs, stallTimeoutMs, serveAfterEnd } =
    settings;
  return { ...timing, drainTimeoutMs, maxAttempts, breaker, maxFailedItems, stragglers, stallAfterMs, stallTimeoutMs, serveAfterEnd };
}

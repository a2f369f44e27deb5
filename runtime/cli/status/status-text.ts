import { formatSize } from '../../base/config/quantity.ts';
import type { RunStatus, Stall, WaitReason } from '../../model/status.ts';
import { durationText, etaSeconds, type Rate } from './rate.ts';
import { isGone, itemsToDo, openItems, type SeenStatus, settledItems } from './run-status.ts';

/** How a run's state reads. Pure. */

/** One plain line of progress, for a pipe or a log. */
export function progressLine(status: RunStatus, rate: Rate): string {
  if (isNothingIndexed(status)) return indexingText(status);
  const total = status.isIndexed ? `${status.items}` : `${status.items}+`;
  const parts = [`${settledItems(status)}/${total} items`, `${status.done} done`, `${status.failed} failed`, runningText(status)];
  if (rate.perSecond !== null) parts.push(`${rateText(rate)}/s`);
  const remaining = remainingText(status, rate);
  if (remaining !== null) parts.push(remaining);
  parts.push(...whyText(status), workersText(status));
  return parts.join(', ');
}

export function runningText({ running, prefetched }: RunStatus): string {
  return `${running - prefetched} running${prefetched === 0 ? '' : `, ${prefetched} held ready`}`;
}

/** What stands in the way, as one line of progress has room for: the commonest reason, and that nothing ends any more. */
export function whyText(status: RunStatus): readonly string[] {
  const {
    waits: [commonest],
    stall,
  } = status;
  if (stall !== null) return [stallText(stall)];
  return commonest === undefined ? [] : [waitText(commonest, usableWorkers(status) > 0)];
}

/** Where no worker is ready, the next try waits for one, whose own reason says when that may be. */
function waitText({ reason, items, nextTryMs }: WaitReason, isAnyReady: boolean): string {
  if (nextTryMs === null) return `${items} tried again after ${reason}`;
  if (!isAnyReady) return `${items} waiting: ${reason}`;
  const next = nextTryMs === 0 ? 'next try at once' : `next try in ${durationText(Math.ceil(nextTryMs / 1_000))}`;
  return `${items} waiting: ${reason}, ${next}`;
}

function stallText({ sinceMs, why }: Stall): string {
  return `STALLED, nothing has ended for ${durationText(sinceMs / 1_000)}: ${why}`;
}

/** Before the first line is indexed there is nothing to count. */
export function isNothingIndexed(status: RunStatus): boolean {
  return !status.isIndexed && status.items === 0;
}

export function indexingText(status: RunStatus): string {
  return `indexing the input, ${workersText(status)}`;
}

export function rateText(rate: Rate): string {
  const perSecond = rate.perSecond ?? 0;
  return perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}

/** Null where nothing can be said: no rate yet, nobody who works, or the number of items is not known. */
export function remainingText(status: RunStatus, rate: Rate): string | null {
  if (!status.isIndexed || status.workers.length === 0) return null;
  const { handedBack, waits } = status;
  // The rate says nothing about how long these wait.
  if (waits.length > 0 && openItems(status) === handedBack) return null;
  if (handedBack > 0 && openItems(status) === handedBack) return `${handedBack} wait${handedBack === 1 ? 's' : ''} for another try`;
  const seconds = etaSeconds(rate, openItems(status));
  return seconds === null ? null : `about ${durationText(seconds)} left`;
}

export function workersText(status: RunStatus): string {
  const usable = usableWorkers(status);
  const total = status.workers.length;
  if (usable === total) return `${total} worker${total === 1 ? '' : 's'}`;
  // One reason for all: workers of a run mostly share their backend, and `rollout status` has each one's.
  const detail = status.workers.find((worker) => worker.detail !== '')?.detail;
  return `${usable} of ${total} workers ready${detail === undefined ? '' : `: ${detail}`}`;
}

function usableWorkers({ workers }: RunStatus): number {
  return workers.filter((worker) => worker.state === 'ready').length;
}

/** The whole page of `rollout status`. */
export function statusPage(status: SeenStatus, stateDir: string): readonly string[] {
  const percent = status.items === 0 ? '' : ` (${Math.floor((settledItems(status) / status.items) * 100)} %)`;
  return [
    `run ${status.runId} in ${stateDir}`,
    `state: ${stateText(status)}`,
    `items: ${status.items}${status.isIndexed ? '' : ' so far, still being indexed'}`,
    `done: ${status.done}, failed: ${status.failed}${percent}`,
    `${inFlightText(status)}, handed back: ${status.handedBack}, to do: ${itemsToDo(status)}`,
    ...(status.redone === 0 ? [] : [`executed again: ${status.redone}`]),
    ...(status.results === null
      ? []
      : [`results in Redis: ${formatSize(status.results.usedBytes)} of ${formatSize(status.results.limitBytes)}`]),
    ...status.workers.map(
      (worker) =>
        `worker ${worker.workerId}: ${worker.state}${worker.detail === '' ? '' : ` (${worker.detail})`}, holds ${worker.running}, runs up to ${worker.concurrency}, last beat ${worker.sinceBeatMs} ms ago`,
    ),
    ...status.waits.map((wait) => waitText(wait, usableWorkers(status) > 0)),
    ...(status.stall === null ? [] : [stallText(status.stall)]),
    ...withoutWorkers(status, stateDir),
    ...howToGoOn(status, stateDir),
    ...(status.isExpired ? [EXPIRED] : []),
  ];
}

/** Of a run that has ended, workers may still have a result of some of them. */
function inFlightText(status: SeenStatus): string {
  if (!isGone(status) || status.running === 0)
    return `running: ${status.running - status.prefetched}${status.prefetched === 0 ? '' : `, held ready: ${status.prefetched}`}`;
  return `in flight when it ended, and run again unless a worker has kept the result: ${status.running}`;
}

const EXPIRED =
  'Its keys are no longer on the Redis server, where they expire some time after the end: this is how the run ended, by its state directory. `export` and `verify` need the keys; the output files stay as they were written.';

function withoutWorkers(status: SeenStatus, stateDir: string): readonly string[] {
  const { isLive, state, workers, runPid } = status;
  if (!isLive || state.kind !== 'running' || workers.length > 0) return [];
  if (runPid === null)
    return ['No worker is registered: start one with `rollout worker run`; where one is started, its log says what it waits for.'];
  const isBegun = settledItems(status) + status.running + status.handedBack > 0;
  const now = status.isIndexed ? '' : ' The input is being indexed meanwhile.';
  return [
    `No worker is registered ${isBegun ? 'now' : 'yet'}: \`rollout run\` (pid ${runPid}) starts them, and their logs in ${stateDir}/logs say what they wait for.${now}`,
  ];
}

function stateText(status: SeenStatus): string {
  if (status.state.kind === 'paused') return `paused: ${status.state.reason}`;
  if (status.state.kind === 'completed') return completedText(status);
  if (status.isLive) return 'running';
  return status.endReason === '' ? 'unfinished' : `unfinished, its last command ended: ${status.endReason}`;
}

function completedText({ done, failed }: SeenStatus): string {
  if (failed === 0) return 'completed';
  return done === 0 ? 'completed, and every item failed' : 'completed, some items failed';
}

function howToGoOn(status: SeenStatus, stateDir: string): readonly string[] {
  if (status.isLive || status.state.kind === 'completed') return [];
  if (status.silence !== null) return [`A coordinator is there and did not answer, at ${status.silence}. Its log may say more.`];
  if (status.runPid !== null)
    return [
      `No coordinator answers now, and \`rollout run\` (pid ${status.runPid}) is alive: it starts the coordinator. Look again with \`rollout status --watch --state ${stateDir}\`.`,
    ];
  const byHand = status.state.kind === 'paused' ? '`rollout coordinator run --resume` with its settings file' : 'start the coordinator';
  return [
    `No coordinator is running. Give the same \`rollout run\` command again to go on (where you started the processes by hand: ${byHand}); \`rollout export --partial\` writes what is there.`,
  ];
}

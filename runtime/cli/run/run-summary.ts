import { counted } from '../../base/config/quantity.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { oneLine } from '../../model/detail.ts';
import { type AnswerNotes, NO_NOTES } from '../../results/export/answer-notes.ts';
import { durationText } from '../status/rate.ts';
import { retryHint } from './found-text.ts';

/** What `rollout run` says at its end. Pure. */
export interface RunEnd {
  readonly exit: ExitCode;
  /** Of the last coordinator. */
  readonly epoch: number;
  readonly done: number;
  readonly failed: number;
  /** Of the results in the output; null where it has not been written. */
  readonly notes: AnswerNotes | null;
  /** Null while the input has not been indexed to its end. */
  readonly items: number | null;
  /** Lines that are no items; null while not all are known. */
  readonly invalid: number | null;
  /** Why the run is paused, or has stalled; else empty. */
  readonly reason: string;
  /** More items have failed than the command permits. */
  readonly isOverLimit: boolean;
  readonly seconds: number;
  readonly output: string;
  readonly errors: string;
  readonly stateDir: string;
  /** The last lines of the log of the process that gave up. */
  readonly logLines: readonly string[];
  readonly logFile: string | null;
}

/** Where something is recorded, another model is refused without --force. */
function correction({ done, failed }: RunEnd): string {
  const force = done + failed === 0 ? '' : '; another model needs --force too';
  return `Correct what the reason names (address, key, model, quota${force}), then:`;
}

export interface Ending extends Pick<RunEnd, 'exit' | 'reason'> {
  /** Items that workers had when the coordinator was last asked. */
  readonly inFlight: number;
  readonly drainTimeout: string;
}

/** What is said while the processes of a run that cannot go on hand over and leave. */
export function endingText({ exit, reason, inFlight, drainTimeout }: Ending): readonly string[] {
  if (exit !== EXIT.notReachable || (reason === '' && inFlight === 0)) return [];
  const wait = inFlight === 0 ? '' : `waiting up to ${drainTimeout} for ${counted(inFlight, 'item')} in flight`;
  return [`The run ends: ${[reason, wait].filter((part) => part !== '').join('; ')}.`];
}

export function endText(end: RunEnd): readonly string[] {
  switch (end.exit) {
    case EXIT.done:
    case EXIT.someFailed:
      return finished(end);
    case EXIT.interrupted:
      return [`Interrupted after ${durationText(end.seconds)}: ${kept(end)}.`, ...howToGoOn(end)];
    case EXIT.paused:
      return [`The run is paused: ${end.reason}`, `${kept(end)}.`, ...(end.isOverLimit ? [] : [correction(end)]), ...howToGoOn(end)];
    case EXIT.fenced:
      return ['Another coordinator has taken this run over; nothing more is written here.', ...log(end)];
    case EXIT.notReachable:
      return [...log(end), `The run has stopped${whyStopped(end)}.`, `${kept(end)}.`, ...howToGoOn(end)];
    default:
      return log(end);
  }
}

/** In one line, for those who look later. */
export function endReason(end: RunEnd): string {
  return oneLine(end.reason === '' ? (end.logLines.at(-1) ?? 'every worker was told to leave') : end.reason);
}

/** Where no process has failed, all workers have left in order, and none is started again. */
function whyStopped({ logFile, reason }: RunEnd): string {
  if (reason !== '') return `: ${reason}`;
  return logFile === null ? ', since every worker was told to leave' : '';
}

function finished(end: RunEnd): readonly string[] {
  const none = end.done === 0 ? ': no item has a result' : '';
  const failed = end.failed === 0 ? '' : `${none} (see the errors file)`;
  return [
    `Finished in ${durationText(end.seconds)}: ${end.done} done, ${end.failed} failed${failed}.`,
    ...(end.done + end.failed === 0 ? ['The input has no lines: check what wrote it, unless an empty list was meant.'] : []),
    ...noted(end.notes ?? NO_NOTES),
    `results: ${end.output}`,
    `errors:  ${end.errors}`,
    `proof:   rollout verify --state ${end.stateDir}`,
    ...retryHint(end.failed, end.invalid),
  ];
}

function noted({ atTokenLimit, emptyText }: AnswerNotes): readonly string[] {
  const told = [
    atTokenLimit === 0 ? '' : `${atTokenLimit} ended at the token limit (finish_reason: length)`,
    emptyText === 0 ? '' : `${emptyText} without a text`,
  ].filter((text) => text !== '');
  return told.length === 0 ? [] : [`Among the results: ${told.join(', ')}.`];
}

function kept(end: RunEnd): string {
  const open = end.items === null ? '' : `, ${Math.max(0, end.items - end.done - end.failed)} to do`;
  return `progress is kept, ${end.done + end.failed} recorded (${end.done} done, ${end.failed} failed)${open}`;
}

function howToGoOn(end: RunEnd): readonly string[] {
  const higher = end.exit === EXIT.paused && end.isOverLimit ? `with --max-failed above ${end.failed}` : 'again';
  return [`to go on:       the same command ${higher}`, `results so far: rollout export --partial --state ${end.stateDir}`];
}

function log(end: RunEnd): readonly string[] {
  return end.logFile === null ? [] : [...end.logLines.map((line) => `  ${line}`), `(log: ${end.logFile})`];
}

export function endJson(end: RunEnd): Record<string, unknown> {
  const { logLines: _lines, logFile, notes, ...told } = end;
  return { kind: 'ended', ...told, ...(notes ?? {}), log: logFile };
}

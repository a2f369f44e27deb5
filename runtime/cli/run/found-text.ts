import { counted } from '../../base/config/quantity.ts';
import type { Progress } from '../../model/run.ts';

/** What `rollout run` says first about a state directory that is there already. Pure. */
export interface Found {
  readonly stateDir: string;
  readonly progress: Progress;
  /** Null while the input has not been indexed to its end. */
  readonly items: number | null;
  /** Lines of the input that are no items; null while not all are known. */
  readonly invalid: number | null;
  /** Outcomes that workers have finished and no coordinator has recorded, by slot; only slots that hold some. */
  readonly waiting: ReadonlyMap<string, number>;
}

export function foundText(found: Found): readonly string[] {
  const { progress, items, stateDir } = found;
  const settled = progress.done + progress.failed;
  const open = items === null ? 'the input was not indexed to its end yet' : `${Math.max(0, items - settled)} to do`;
  const lines = [
    `Found an unfinished run in ${stateDir}: ${settled} recorded (${progress.done} done, ${progress.failed} failed), ${open}.`,
  ];
  if (progress.state.kind === 'paused') lines.push(`It was paused: ${progress.state.reason}`);
  const outcomes = [...found.waiting.values()].reduce((sum, count) => sum + count, 0);
  if (outcomes > 0)
    lines.push(
      `${outcomes} finished outcome${outcomes === 1 ? '' : 's'} not known to be recorded, in the store of ${[...found.waiting.keys()].join(', ')}: handed over now.`,
    );
  return [...lines, 'Going on.'];
}

export function finishedText(found: Found, output: string, errors: string): readonly string[] {
  const { progress, invalid } = found;
  const { done, failed } = progress;
  return [
    `The run in ${found.stateDir} is finished: ${done} done, ${failed} failed${done === 0 && failed > 0 ? ', so no item has a result' : ''}. Nothing was executed.`,
    `results: ${output}`,
    `errors:  ${errors}`,
    ...retryHint(progress.failed, invalid),
    'To run it again from the start, add --fresh.',
  ];
}

/** `rollout retry --failed` of a finished run in which no item has failed. */
export function nothingToRetry(stateDir: string, invalid: number | null): readonly string[] {
  const bad = invalid ?? 0;
  if (bad === 0) return [`No item of the run in ${stateDir} has failed. Nothing was executed.`];
  const are = bad === 1 ? 'is not run again; correct it' : 'are not run again; correct them';
  return [
    `${counted(bad, 'bad line')} ${are} in the input and start over with --fresh, or run the corrected lines as a file of their own.`,
    `No other line of the run in ${stateDir} has failed. Nothing was executed.`,
  ];
}

/** The way to another try, where there is one: lines that are no items would fail again. */
export function retryHint(failed: number, invalid: number | null): readonly string[] {
  if (failed <= (invalid ?? 0)) return [];
  const invalidToo = invalid === null || invalid === 0 ? '' : ` (${notItems(invalid)} and ${invalid === 1 ? 'stays' : 'stay'})`;
  return [`failed lines again: rollout retry --failed, with the arguments of this command${invalidToo}`];
}

/** What `rollout retry --failed` says first. */
export function retryText({ progress, invalid }: Pick<Found, 'progress' | 'invalid'>): string {
  if (invalid === null || invalid === 0)
    return `${counted(progress.failed, 'failed line')} ${progress.failed === 1 ? 'runs' : 'run'} again.`;
  const again = Math.max(0, progress.failed - invalid);
  return `${again} failed line${again === 1 ? ' runs' : 's run'} again; ${notItems(invalid)} and would fail again.`;
}

function notItems(count: number): string {
  return count === 1 ? '1 line is no item' : `${count} lines are no items`;
}

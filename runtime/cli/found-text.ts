import type { Progress } from '../model/run.ts';

/** What `rollout run` says first about a state directory that is there already. Pure. */
export interface Found {
  readonly stateDir: string;
  readonly progress: Progress;
  /** Null while the input has not been indexed to its end. */
  readonly items: number | null;
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
      `${outcomes} finished outcome${outcomes === 1 ? '' : 's'} not recorded yet, in the store of ${[...found.waiting.keys()].join(', ')}: handed over now.`,
    );
  return [...lines, 'Going on.'];
}

export function finishedText(found: Found, output: string, errors: string): readonly string[] {
  const { done, failed } = found.progress;
  return [
    `The run in ${found.stateDir} is finished: ${done} done, ${failed} failed. Nothing was executed.`,
    `results: ${output}`,
    `errors:  ${errors}`,
    'To run it again from the start, add --fresh.',
  ];
}

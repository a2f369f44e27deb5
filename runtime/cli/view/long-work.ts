import type { Clock } from '../../base/clock.ts';
import { formatSize } from '../../base/config/quantity.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';

/** How far a piece of work is that comes before any item is executed. */
export interface WorkProgress {
  readonly step: 'reading the input' | 'checking what is recorded' | 'indexing the input';
  readonly done: number;
  readonly unit: 'bytes' | 'items';
}

/** Short work is not worth a line. */
const FIRST_MS = 2_000;
/** As often as the plain lines of progress. */
const PLAIN_EVERY_MS = 5_000;
/** A line that is drawn over may change as often as the eye follows. */
const TERMINAL_EVERY_MS = 500;
const CLEAR_LINE = '\r\u001b[K';

type Outputs = Pick<CliDeps, 'err' | 'isDrawable' | 'out'> & { readonly clock: Pick<Clock, 'sleep'> };

/** Does the work, and tells meanwhile how far it is: on one line of a terminal, in lines into a pipe, in JSON lines with --json. */
export async function tellWhile<T>(deps: Outputs, isJson: boolean, progress: () => WorkProgress, work: Promise<T>): Promise<T> {
  const isDone = new AbortController();
  const telling = tell(deps, isJson, progress, isDone.signal);
  try {
    return await work;
  } finally {
    isDone.abort();
    await telling;
  }
}

async function tell(
  { clock, err, isDrawable, out }: Outputs,
  isJson: boolean,
  progress: () => WorkProgress,
  isDone: AbortSignal,
): Promise<void> {
  const isDrawn = !isJson && isDrawable;
  await clock.sleep(FIRST_MS, isDone);
  if (isDone.aborted) return;
  while (!isDone.aborted) {
    if (isJson) sayJson(out, { kind: 'preparing', ...progress() });
    else if (isDrawn) err.write(`${CLEAR_LINE}${workText(progress())}`);
    else say(err, [workText(progress())]);
    await clock.sleep(isDrawn ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS, isDone);
  }
  if (isDrawn) err.write(CLEAR_LINE);
}

export function workText({ step, done, unit }: WorkProgress): string {
  return `${step}: ${unit === 'bytes' ? formatSize(done) : `${done} items`} so far`;
}

import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { tellParent } from '../../base/process/supervised.ts';
import type { End } from './end.ts';

/** The first end decides. */
export function leave(end: End, failed: number): ExitCode {
  switch (end.kind) {
    case 'completed':
      return exitOf(failed);
    case 'paused':
      return EXIT.paused;
    case 'interrupted':
      return EXIT.interrupted;
    case 'fenced':
      return EXIT.fenced;
    case 'stalled':
      throw stalled(end.reason);
    case 'results-full':
      throw resultsFull(end.reason);
  }
}

function stalled(why: string): RolloutError {
  const reason = `no item has ended within the time that it has (--stall-timeout, or stallTimeout in a settings file): ${why}`;
  // Under `rollout run` the supervisor would start the coordinator again.
  tellParent({ kind: 'given-up', reason });
  return new RolloutError('RUN_STALLED', `${reason}. Everything is kept: remove what stands in the way and start again, which goes on`);
}

function resultsFull(reason: string): RolloutError {
  // Workers would hand over the same outcomes again.
  tellParent({ kind: 'given-up', reason });
  return new RolloutError('RESULTS_FULL', reason);
}

export function exitOf(failed: number): ExitCode {
  return failed === 0 ? EXIT.done : EXIT.someFailed;
}

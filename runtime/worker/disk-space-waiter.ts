import type { Clock } from '../base/clock.ts';
import { SPACE_ADVICE } from '../base/fs/disk-space.ts';
import { waitForSpace } from '../base/fs/free-space.ts';
import type { Log } from '../base/log.ts';
import { tellParent } from '../base/process/supervised.ts';
import { OUTBOX_FREE_BYTES, type WaitForDiskSpace } from './outbox/contract.ts';

/** `onDiskSpace`: hears what is missing, and null once there is room again. */
export function diskSpaceWaiter(
  stateDir: string,
  clock: Clock,
  log: Log,
  onDiskSpace: (shortage: string | null) => void,
): WaitForDiskSpace {
  return (signal) =>
    waitForSpace({
      dir: stateDir,
      bytes: OUTBOX_FREE_BYTES,
      clock,
      signal,
      onShort: (shortage) => {
        log.error({ shortage }, 'the worker waits for space, and keeps its results in memory until then');
        tellParent({ kind: 'waiting', reason: `${shortage}; ${SPACE_ADVICE}` });
        onDiskSpace(shortage);
      },
      onEnough: () => {
        log.info('there is space again');
        tellParent({ kind: 'going-on' });
        onDiskSpace(null);
      },
    });
}

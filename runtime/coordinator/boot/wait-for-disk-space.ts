import type { Clock } from '../../base/clock.ts';
import { SPACE_ADVICE } from '../../base/fs/disk-space.ts';
import { waitForSpace } from '../../base/fs/free-space.ts';
import type { Log } from '../../base/log.ts';
import { tellParent } from '../../base/process/supervised.ts';
import { statePaths } from '../../run-dir/paths.ts';
import type { ServerContext } from '../server/listening.ts';
import type { CoordinatorSettings } from '../settings.ts';

export interface DiskSpaceOptions {
  readonly settings: Pick<CoordinatorSettings, 'stateDir' | 'minFreeBytes'>;
  readonly context: ServerContext;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Waits until the disk with the state directory has room for a coordinator, and says so to whoever looks: a predecessor may have
 * ended for want of it (L18). Resolves at once where there is room, and when the signal aborts.
 */
export async function waitForDiskSpace({ settings, context, signal, clock, log }: DiskSpaceOptions): Promise<void> {
  const before = context.coordinatorStatus;
  const { storeDir, segmentsDir } = statePaths(settings.stateDir);
  // These two may lie on disks of their own.
  for (const dir of [settings.stateDir, storeDir, segmentsDir])
    await waitForSpace({
      dir,
      bytes: settings.minFreeBytes,
      clock,
      signal,
      onShort: (shortage) => {
        context.coordinatorStatus = { kind: 'no-space', shortage };
        log.error({ shortage }, 'the coordinator waits for space; free some, and it goes on by itself');
        tellParent({ kind: 'waiting', reason: `${shortage}; ${SPACE_ADVICE}` });
      },
      onEnough: () => {
        log.info('there is space again');
        tellParent({ kind: 'going-on' });
      },
    });
  context.coordinatorStatus = before;
}

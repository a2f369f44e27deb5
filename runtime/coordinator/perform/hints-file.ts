import type { Clock, Timer } from '../../base/clock.ts';
import { watchFile } from '../../base/fs/watched-file.ts';
import type { Log } from '../../base/log.ts';
import { type ComputeHint, type ReceivedHint, receive } from '../../model/hint.ts';
import { parseHints } from '../../model/hint-settings.ts';

export interface HintsFile {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** All that the file says now. */
  readonly onHints: (hints: readonly ComputeHint[]) => void;
}

/** Watches the hints file of a coordinator; each hint in it names a machine or a worker. Resolves when it has been read once. */
export async function watchHintsFile({ file, clock, log, onHints }: HintsFile): Promise<Timer> {
  let received: readonly ReceivedHint[] = [];
  return watchFile({
    path: file,
    clock,
    log,
    parse: (text) => parseHints(file, text, true),
    onValue: (written) => {
      received = receive(received, written ?? [], { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
      log.info({ file, hints: received.length }, 'the hints file has changed');
      onHints(received);
    },
  });
}

import type { Clock, Timer } from '../base/clock.ts';
import { watchFile } from '../base/fs/watched-file.ts';
import type { Log } from '../base/log.ts';
import { type ComputeHint, concerns, type ReceivedHint, receive, strictest, type WrittenHint } from '../model/hint.ts';
import { parseHints } from '../model/hint-settings.ts';
import type { WorkerId } from '../model/row.ts';

export interface OwnHints {
  readonly file: string;
  readonly workerId: WorkerId;
  /** Empty where it is not known. */
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The strictest of what the file says about this worker now; null for nothing. */
  readonly onHint: (hint: ComputeHint | null) => void;
}

/** Watches a worker's own hints file: what it says of other machines and workers is none of its business. */
export async function watchOwnHints({ file, workerId, node, clock, log, onHint }: OwnHints): Promise<Timer> {
  let received: readonly ReceivedHint[] = [];
  return watchFile({
    path: file,
    clock,
    log,
    parse: (text) => parseHints(file, text, false),
    onValue: (written) => {
      received = receive(received, written ?? [], { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
      if (node === '' && (written ?? []).some(isOfNode)) log.warn({ file }, 'a hint names a node, and this worker has no `node` setting');
      const hint = strictest(received.filter((one) => concerns(one, { id: workerId, node })));
      log.info({ file, severity: hint?.severity ?? 'none', reason: hint?.reason ?? '' }, 'the hints file has changed');
      onHint(hint);
    },
  });
}

function isOfNode(hint: WrittenHint): boolean {
  return hint.node !== null;
}

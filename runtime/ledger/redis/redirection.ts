import type { ServerAddress } from '../../model/redis-url.ts';

/** A replica after a fail-over, a node of a Cluster that has not the slot of the run, or that knows nothing of the others any more. */
const HAS_MOVED = /^(?:READONLY|MOVED|CLUSTERDOWN)\b/;
const CANNOT_SAY = /^(?:CLUSTERDOWN|LOADING|MASTERDOWN)\b/;
const MOVED_TO = /^MOVED \d+ (.*):(\d+)$/;

/** Whether what a server says of a command means that the primary has to be looked for. */
export function hasMoved(said: string): boolean {
  return HAS_MOVED.test(said);
}

/** Whether a server that was asked where a key is cannot say it now. */
export function isUnsure(said: string): boolean {
  return CANNOT_SAY.test(said);
}

/** Where a node says that the slot is; null where it has it itself. A node that knows no host of another means its own (`from`). */
export function redirected(said: string, from: ServerAddress): ServerAddress | null {
  const [whole, host = '', port] = MOVED_TO.exec(said) ?? [];
  if (whole === undefined) return null;
  return { host: host === '' || host === '?' ? from.host : host, port: Number(port) };
}

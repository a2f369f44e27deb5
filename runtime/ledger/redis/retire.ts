import { RolloutError } from '../../base/errors.ts';
import { Connection } from './connection.ts';
import { KEY_PATTERN } from './keys.ts';
import type { ServerOptions } from './primary.ts';
import { NO_EPOCH, Session } from './session.ts';

/**
 * Retires a run that nobody wants any more: its keys expire, in as many milliseconds as this answers. Nobody continues it. Nothing is removed
 * before that, and a second call changes nothing. Null while a coordinator holds the lease: then nothing was written. Rejects as the calls
 * of a ledger do.
 */
export async function retireRun(servers: ServerOptions, runId: string, expireAfterMs: number): Promise<number | null> {
  const connection = new Connection(servers, () => undefined, runId);
  await connection.open();
  try {
    const [kind, leftMs] = await new Session(connection, runId).run('retire', [...NO_EPOCH, expireAfterMs]);
    return kind === 'held' ? null : (leftMs as number);
  } finally {
    connection.disconnect();
  }
}

const HOUR_MS = 3_600_000;

/** What a candidate is told. The keys are all there until then. */
export function retired(leftMs: number): RolloutError {
  const hours = Math.ceil(leftMs / HOUR_MS);
  return new RolloutError(
    'RUN_RETIRED',
    `This run was retired, as when its RolloutRun is deleted: no coordinator may continue it, and its keys on the Redis server (${KEY_PATTERN.replace('*', '{<run id>}:*')}) expire in ${hours} h. To continue it, give PERSIST for each of these keys before that, and start the coordinator again.`,
  );
}

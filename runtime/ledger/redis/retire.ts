import { RolloutError } from '../../base/errors.ts';
import { Connection } from './connection.ts';
import { KEY_PATTERN } from './keys.ts';
import type { ServerOptions } from './primary.ts';
import { NO_EPOCH, Session } from './session.ts';

/**
 * Lets the keys of a run expire that nobody wants any more, and answers in how many milliseconds they do. Whoever works on it is fenced, and
 * nobody goes on with it. Nothing of it is removed before: asked again it changes nothing. Rejects as the calls of a ledger do.
 */
export async function retireRun(servers: ServerOptions, runId: string, expireAfterMs: number): Promise<number> {
  const connection = new Connection(servers, () => undefined, runId);
  await connection.open();
  try {
    const [, leftMs] = await new Session(connection, runId).run('retire', [...NO_EPOCH, expireAfterMs]);
    return leftMs as number;
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
    `This run was retired, as when its RolloutRun was deleted: nobody goes on with it, and its keys on the Redis server (${KEY_PATTERN.replace('*', '{<run id>}:*')}) expire in ${hours} h. To go on with it all the same, give PERSIST for each of them before, and start again.`,
  );
}

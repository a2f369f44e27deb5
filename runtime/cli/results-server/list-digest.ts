import { RolloutError } from '../../base/errors.ts';
import type { Progress } from '../../model/run.ts';
import { storeText } from '../../model/store.ts';
import type { RunReads } from '../status/stored-ledger.ts';
import type { SettingsRun } from './settings-run.ts';

/**
 * The SHA-256 of the list that the run has; null where nothing depends on it. A reader's pod of a run in Redis copies the list as it is at
 * its source now, and has no other memory of it than what is on the server.
 */
export async function listDigest(
  { keptInput }: Pick<RunReads, 'keptInput'>,
  { kept: { store, results }, expectedSha256 }: Pick<SettingsRun, 'kept' | 'expectedSha256'>,
  { cursor }: Pick<Progress, 'cursor'>,
): Promise<string | null> {
  const digest = (await keptInput())?.sha256 ?? expectedSha256;
  // A coordinator writes it down before it hands out the first item: until then nothing is recorded that could be laid over other lines.
  if (digest !== null || results !== 'inline' || cursor === 0) return digest;
  throw new RolloutError(
    'LEDGER_CORRUPT',
    `${storeText(store)} does not say which list the run has, so that its records might be laid over other lines: --partial needs no list.`,
  );
}

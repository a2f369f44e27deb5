import { RolloutError } from '../../base/errors.ts';
import type { Lease } from '../../model/lease.ts';
import type { Progress } from '../../model/run.ts';
import { storeText } from '../../model/store.ts';
import { ledgerBehind } from '../../run-dir/standing.ts';
import { atRest } from '../status/at-rest.ts';
import type { RunReads } from '../status/stored-ledger.ts';
import type { SettingsRun } from './settings-run.ts';

/** Has something made of a run whose ledger is there, and on which no coordinator works from beginning to end. */
export async function readAtRest<T>(
  { ledger }: Pick<RunReads, 'ledger'>,
  run: Pick<SettingsRun, 'paths' | 'kept' | 'heardEpoch'>,
  make: (progress: Progress) => Promise<T>,
): Promise<T> {
  const rest = await atRest(ledger, goesOn);
  refuseGone(rest.progress, run);
  const made = await make(rest.progress);
  await rest.confirm();
  return made;
}

/** An empty ledger would have the whole list left. */
function refuseGone({ epoch }: Progress, { paths, kept: { store }, heardEpoch }: Pick<SettingsRun, 'paths' | 'kept' | 'heardEpoch'>): void {
  if (epoch >= heardEpoch) return;
  if (epoch >= 0 || store.kind === 'embedded') throw ledgerBehind({ kind: 'behind', epoch, seen: heardEpoch, ended: null }, paths.stateDir);
  throw new RolloutError(
    'LEDGER_EXPIRED',
    `the keys of the run are gone from ${storeText(store)}, though it was at epoch ${heardEpoch}: they expire some time after its end (7 days, where nothing else is set), or the server was wiped, or the URL names another server or database now. What is recorded cannot be told from what is left: name the server and the database of the run again, or give the server the newest copy of its data; where there is none, only the whole list can be executed again, as another run`,
  );
}

function goesOn(lease: Lease | null): RolloutError {
  const what =
    lease === null
      ? 'the run has changed while it was read'
      : `a coordinator (${lease.address}) works on the run, or has ended without giving its lease back`;
  return new RolloutError(
    'USAGE',
    `${what}, and may record any of these lines: suspend the run unless it has ended, wait until its coordinator is gone and its lease has run out, and give the same command again`,
  );
}

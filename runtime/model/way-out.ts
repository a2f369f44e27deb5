import { assertNever } from '../base/assert.ts';
import { RolloutError } from '../base/errors.ts';
import type { Store } from './store.ts';

/** Errors of a ledger that may not be used as it is. What a person does about them depends on where the ledger is kept. */
type LedgerErrorCode = 'LEDGER_BEHIND' | 'LEDGER_CORRUPT' | 'LEDGER_LOST_WRITES';

/** `--fresh` is an option of `rollout run` alone. */
const ALONE = 'For `rollout coordinator run`, move the state directory aside yourself';
const ON_HOSTS = `${ALONE}, on each host that has one; where the settings name a runId, give all hosts another one, and another tls.dir.`;

const EMBEDDED_WAYS: Readonly<Record<LedgerErrorCode, string>> = {
  LEDGER_BEHIND: `Restore the newest copy of the state directory; where there is none, start over with --fresh, which keeps this one aside. ${ALONE}.`,
  LEDGER_CORRUPT: 'Restore the state directory from a copy.',
  LEDGER_LOST_WRITES: 'Keep the state directory on a disk that keeps what it has synced.',
};

/** The state directory is as it should be: it is the server that lacks something. */
const SERVER_WAYS: Readonly<Record<LedgerErrorCode, string>> = {
  LEDGER_BEHIND: `If it has nothing of this run, name the server and the database on which the run began (--redis, or store.redis). If it was wiped, restored from an old copy, or replaced by a replica that lacked writes, give it the newest copy of its data. Where there is none, start over with --fresh, which keeps the state directory aside. ${ON_HOSTS} (The keys of a finished run expire: \`rollout status\` tells how it ended, on the host whose coordinator wrote the output under the last epoch.)`,
  LEDGER_CORRUPT:
    'Give it a copy of its data from before the damage, if no coordinator has begun since; else start over with --fresh. Keep what is there, and report it.',
  LEDGER_LOST_WRITES:
    'Nothing has to be restored. With appendonly yes and appendfsync always it would lose nothing when its machine fails; a replica that takes over after a crash may always lack the last writes.',
};

/** The error with the way out of it at the end of its message; any other error stays as it is. */
export function withWayOut(error: unknown, store: Store): unknown {
  if (!(error instanceof RolloutError) || !isOfLedger(error.code)) return error;
  const way = wayOut(error.code, store);
  return error.message.endsWith(way) ? error : new RolloutError(error.code, `${error.message} ${way}`, { cause: error });
}

function wayOut(code: LedgerErrorCode, store: Store): string {
  switch (store.kind) {
    case 'embedded':
      return EMBEDDED_WAYS[code];
    case 'redis':
      return `The server of the ledger is ${store.url}. ${SERVER_WAYS[code]}`;
    default:
      return assertNever(store);
  }
}

function isOfLedger(code: string): code is LedgerErrorCode {
  return code in EMBEDDED_WAYS;
}

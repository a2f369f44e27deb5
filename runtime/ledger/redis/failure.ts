import { AssertionFailed } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { CallFailed } from '../call-failed.ts';

/** Beginnings of what a server says of a command that it did not carry out, and may later. */
const NOT_EXECUTED =
  /^(?:OOM|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOREPLICAS|MISCONF|NOSCRIPT)\b|^Stream isn't writeable/;
/** What the client says of a command that was on its way when the connection ended, or got no answer. */
const UNKNOWN = /^(?:Connection is closed|Command timed out|Reached the max retries per request limit|connect |read |write |Socket )/;
/** The server will not have this client, or this client's commands; of those within a script each version has its own words. */
const DENIED = /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR The user executing the script )|ACL failure in script/;

/** An error of the client or the server in one of the three kinds (call-failed.ts). */
export function storeFailure(error: unknown): Error {
  if (error instanceof RolloutError || error instanceof AssertionFailed || error instanceof CallFailed) return error;
  const said = error instanceof Error ? error.message : String(error);
  if (NOT_EXECUTED.test(said)) return new CallFailed('not-executed', `Redis did not carry it out: ${said}`, { cause: error });
  if (UNKNOWN.test(said) || isSystemError(error)) return new CallFailed('unknown', `Redis gave no answer: ${said}`, { cause: error });
  const advice = DENIED.test(said)
    ? 'Give the user of this run the password and the commands that the documentation lists.'
    : 'Check the server and its log, then run the same command again; what is recorded is kept.';
  return new RolloutError('STORE_FAILED', `Redis refused a command of this run (${said}). ${advice}`, { cause: error });
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

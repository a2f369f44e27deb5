import { AssertionFailed } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { CallFailed } from '../call-failed.ts';
import { isSystemError, plainError } from './client-error.ts';
import { type Reach, remedyOf } from './remedy.ts';

/**
 * Beginnings of what a server says of a command that it did not carry out, and may later. The last is of a script that comes to a chunk of
 * results whose slot is on its way to another node: it looks there before it writes.
 */
const NOT_EXECUTED =
  /^(?:OOM|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOREPLICAS|MISCONF|NOSCRIPT|ERR Script attempted to access a non local key)\b/;
/** What the client says of a command for which there is no connection. */
const NO_CONNECTION = /^Stream isn't writeable/;
/** What is said of a connection that the other side has ended. */
export const CLOSED = 'the server has closed the connection';
/** What the client says of a command that was on its way when the connection ended, or got no answer. */
const UNKNOWN =
  /^(?:the server has closed|Connection is closed|Command timed out|Command aborted|Reached the max retries per request limit|connect |read |write |Socket )/;
/** The server will not have this client, or this client's commands; of those within a script each version has its own words. */
const DENIED =
  /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR Protocol error: unauthenticated|ERR The user executing the script )|ACL failure in script/;

/** The connection on which a call has failed. */
export interface Broken extends Reach {
  /** Why there is none, by the last try; null where nothing is known. */
  readonly trouble: Error | null;
}

/** An error of the client or the server in one of the three kinds (call-failed.ts). */
export function storeFailure(error: unknown, broken: Broken): Error {
  if (error instanceof RolloutError || error instanceof AssertionFailed || error instanceof CallFailed) return error;
  const cause = plainError(error);
  const { message } = cause;
  const trouble = broken.trouble ?? cause;
  // What ended the connection says more than that it has ended; and a server that has refused the password would go on doing so.
  if (NO_CONNECTION.test(message) && broken.trouble !== null && DENIED.test(trouble.message)) return denied(trouble, broken);
  if (NO_CONNECTION.test(message)) return failed('not-executed', 'there is no connection to Redis', trouble, broken);
  if (NOT_EXECUTED.test(message)) return failed('not-executed', 'Redis did not carry it out', cause, broken);
  if (UNKNOWN.test(message) || isSystemError(cause)) return failed('unknown', 'Redis gave no answer', trouble, broken);
  return denied(cause, broken);
}

function failed(fate: CallFailed['fate'], what: string, cause: Error, broken: Broken): CallFailed {
  const remedy = remedyOf(cause.message, broken);
  return new CallFailed(fate, `${what} (${cause.message})${remedy === null ? '' : `: ${remedy}`}`, { cause });
}

function denied(cause: Error, broken: Broken): RolloutError {
  const usual = DENIED.test(cause.message)
    ? 'give the user of this run the commands and the keys that the documentation lists'
    : 'check the server and its log, then run the same command again; what is recorded is kept';
  const remedy = remedyOf(cause.message, broken) ?? usual;
  return new RolloutError('STORE_FAILED', `Redis refused a command of this run (${cause.message}): ${remedy}`, { cause });
}

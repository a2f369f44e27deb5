import type { ExitCode } from './exit.ts';

/**
 * Every error that a person may see has a code from this table; docs/errors.md lists the same codes (a test keeps them equal).
 * `exit` is the exit code of a process that ends with it, `isRetryable` says whether trying again can help. Retired codes are not reused.
 */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = {
  CONFIG_INVALID: { exit: 2, isRetryable: false },
  USAGE: { exit: 2, isRetryable: false },
  IDENTITY_DIFFERS: { exit: 2, isRetryable: false },
  INPUT_UNREADABLE: { exit: 2, isRetryable: false },
  INPUT_FORMAT: { exit: 2, isRetryable: false },
  INPUT_INVALID: { exit: 2, isRetryable: false },
  INPUT_CHANGED: { exit: 2, isRetryable: false },
  STATE_UNREADABLE: { exit: 2, isRetryable: false },
  LEDGER_BEHIND: { exit: 2, isRetryable: false },
  LEDGER_EXPIRED: { exit: 2, isRetryable: false },
  LEDGER_LOST_WRITES: { exit: 4, isRetryable: true },
  LEDGER_CORRUPT: { exit: 2, isRetryable: false },
  PLACE_ELSEWHERE: { exit: 2, isRetryable: false },
  SEGMENT_MISSING: { exit: 2, isRetryable: false },
  RESULTS_DAMAGED: { exit: 2, isRetryable: false },
  RESULT_LOG_FAILED: { exit: 4, isRetryable: true },
  RESULTS_FULL: { exit: 4, isRetryable: false },
  RUN_RETIRED: { exit: 2, isRetryable: false },
  STORE_FAILED: { exit: 4, isRetryable: true },
  STORE_UNFIT: { exit: 2, isRetryable: false },
  NETWORK_FILE_SYSTEM: { exit: 2, isRetryable: false },
  PID_TAKEN: { exit: 2, isRetryable: false },
  TLS_INVALID: { exit: 2, isRetryable: false },
  WORKER_ID_IN_USE: { exit: 2, isRetryable: false },
  OUTBOX_OF_ANOTHER: { exit: 2, isRetryable: false },
  SUPERSEDED: { exit: 2, isRetryable: false },
  BACKEND_UNREACHABLE: { exit: 4, isRetryable: true },
  COORDINATOR_UNREACHABLE: { exit: 4, isRetryable: true },
  RUN_STALLED: { exit: 4, isRetryable: true },
  OUTPUT_UNWRITABLE: { exit: 2, isRetryable: false },
  OUTPUT_TAKEN: { exit: 2, isRetryable: false },
  FENCED: { exit: 3, isRetryable: false },
};

export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'USAGE'
  | 'IDENTITY_DIFFERS'
  | 'INPUT_UNREADABLE'
  | 'INPUT_FORMAT'
  | 'INPUT_INVALID'
  | 'INPUT_CHANGED'
  | 'STATE_UNREADABLE'
  | 'LEDGER_BEHIND'
  | 'LEDGER_EXPIRED'
  | 'LEDGER_LOST_WRITES'
  | 'LEDGER_CORRUPT'
  | 'PLACE_ELSEWHERE'
  | 'SEGMENT_MISSING'
  | 'RESULTS_DAMAGED'
  | 'RESULT_LOG_FAILED'
  | 'RESULTS_FULL'
  | 'RUN_RETIRED'
  | 'STORE_FAILED'
  | 'STORE_UNFIT'
  | 'NETWORK_FILE_SYSTEM'
  | 'PID_TAKEN'
  | 'TLS_INVALID'
  | 'WORKER_ID_IN_USE'
  | 'OUTBOX_OF_ANOTHER'
  | 'SUPERSEDED'
  | 'BACKEND_UNREACHABLE'
  | 'COORDINATOR_UNREACHABLE'
  | 'RUN_STALLED'
  | 'OUTPUT_UNWRITABLE'
  | 'OUTPUT_TAKEN'
  | 'FENCED';

interface ErrorKind {
  readonly exit: ExitCode;
  readonly isRetryable: boolean;
}

/** An error for people: the message says what is wrong and what to do about it. */
export class RolloutError extends Error {
  override readonly name = 'RolloutError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get exit(): ExitCode {
    return ERRORS[this.code].exit;
  }
}

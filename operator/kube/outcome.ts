import { ApiError, isConflict, NoAnswer } from './api-error.ts';

/** What a reconcile of one key has come to. */
export type Outcome =
  /** All is as it should be, as far as this key can make it so. */
  | { readonly kind: 'done' }
  /** So far it is; look again after this time, also if nothing changes. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** It failed, and may succeed later. `isQuiet`: that is to be expected, as where somebody else was faster. */
  | { readonly kind: 'retry'; readonly error: unknown; readonly isQuiet?: boolean }
  /** It failed, and will until something changes. */
  | { readonly kind: 'giveUp'; readonly error: unknown };

/** An error of the API server ends a reconcile in order: it is tried again. */
export function outcomeOfThrow(error: unknown): Outcome {
  return { kind: 'retry', error, isQuiet: isConflict(error) };
}

/** Whether what was thrown is a bug, as far as anybody can tell. */
export function isBug(error: unknown): boolean {
  return !(error instanceof ApiError) && !(error instanceof NoAnswer);
}

/** How long the API server asks to wait. */
export function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
}

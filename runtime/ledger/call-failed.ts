/**
 * What is known of a call that failed. `not-executed`: the store said that it did not carry it out, and may later. `unknown`: no answer
 * came; it may have been carried out, or may yet be. Every other error says that the store is broken, or is a bug.
 */
export type Fate = 'not-executed' | 'unknown';

/** To be asked again, exactly as it was (L20, L38). */
export class CallFailed extends Error {
  override readonly name: string = 'CallFailed';
  readonly fate: Fate;

  constructor(fate: Fate, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.fate = fate;
  }
}

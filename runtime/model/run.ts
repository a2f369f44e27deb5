/** Where a run stands in the ledger. `completed` is terminal (L16); a paused run goes on when it is resumed. */
export type RunState = { readonly kind: 'running' } | { readonly kind: 'paused'; readonly reason: string } | { readonly kind: 'completed' };

/** Counters of a run. handedOut = running + handedBack + done + failed (L6). */
export interface Progress {
  readonly state: RunState;
  readonly epoch: number;
  /** First index never handed out. */
  readonly cursor: number;
  readonly running: number;
  readonly handedBack: number;
  readonly done: number;
  readonly failed: number;
  /** How often an item that a worker had begun, and not finished with a record, was handed out again. */
  readonly redone: number;
}

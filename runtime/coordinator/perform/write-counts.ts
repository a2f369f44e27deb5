/** What the cycles of this coordinator have written, since its start. */
export interface WriteCounts {
  /** Writes of the result log, each synced. */
  appends: number;
  outcomes: number;
  /** Of the outcomes' lines. */
  bytes: number;
  /** Transactions of the ledger. */
  commits: number;
}

export function noWrites(): WriteCounts {
  return { appends: 0, outcomes: 0, bytes: 0, commits: 0 };
}

/** What the watchdog and its thread share. */
export interface Watch {
  /** One cell: ASLEEP, then ARMED. */
  readonly cell: Int32Array;
  /** When the process must have ended, on the clock that all threads share; written before the cell is. */
  readonly deadlineMs: Float64Array;
  readonly lastWords: string;
}

export const ASLEEP = 0;
export const ARMED = 1;

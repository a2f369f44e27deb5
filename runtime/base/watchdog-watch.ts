/** What the watchdog and its thread share. */
export interface Watch {
  /** One cell: ASLEEP, then ARMED. */
  readonly cell: Int32Array;
  readonly limitMs: number;
  readonly lastWords: string;
}

export const ASLEEP = 0;
export const ARMED = 1;

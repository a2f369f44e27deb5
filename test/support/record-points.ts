/** The points of recording at which record-process.ts can die. Those that end in -ing: while what is called so is under way. */
export const RECORD_POINTS = [
  'winning',
  'won',
  'bound',
  'opened',
  'claiming',
  'claimed',
  'appending',
  'appended',
  'settling',
  'settled',
] as const;

export type RecordPoint = (typeof RECORD_POINTS)[number];

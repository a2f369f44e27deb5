/** How much of everything: `full` for the figures of the README, `small` to try a change, `tiny` to see that all of it runs. */
export interface Sizes {
  /** Worker processes of each subject. */
  readonly workers: number;
  readonly endToEnd: readonly number[];
  readonly oneByOne: number;
  readonly shortItems: SlotsLoad;
  readonly longItems: SlotsLoad;
  readonly ledger: number;
  readonly idleWorkers: readonly number[];
  /** After the last worker has come: what a thousand handshakes leave behind, compilation above all, is not the cost of idling. */
  readonly idleSettleMs: number;
  readonly idleMs: number;
  /** Items that are to be done before the coordinator is killed. */
  readonly doneBeforeKill: number;
  readonly large: number;
}

export interface SlotsLoad {
  readonly workers: number;
  readonly concurrency: number;
  readonly items: number;
  readonly latencyMs: number;
  readonly spreadMs: number;
}

export type Scale = 'full' | 'small' | 'tiny';

const SHORT = { workers: 3, concurrency: 64, latencyMs: 50, spreadMs: 0 };
const LONG = { workers: 8, concurrency: 256, latencyMs: 500, spreadMs: 3_000 };

export const SIZES: Readonly<Record<Scale, Sizes>> = {
  full: {
    workers: 3,
    endToEnd: [40_000, 200_000],
    oneByOne: 3_000,
    shortItems: { ...SHORT, items: 57_600 },
    longItems: { ...LONG, items: 61_440 },
    ledger: 400_000,
    idleWorkers: [0, 8, 100, 1_000],
    idleSettleMs: 30_000,
    idleMs: 10_000,
    doneBeforeKill: 5_000,
    large: 10_000_000,
  },
  small: {
    workers: 3,
    endToEnd: [40_000],
    oneByOne: 1_500,
    shortItems: { ...SHORT, items: 15_360 },
    longItems: { ...LONG, items: 20_480 },
    ledger: 50_000,
    idleWorkers: [0, 8, 50],
    idleSettleMs: 2_000,
    idleMs: 4_000,
    doneBeforeKill: 1_000,
    large: 200_000,
  },
  tiny: {
    workers: 1,
    endToEnd: [300],
    oneByOne: 30,
    shortItems: { workers: 1, concurrency: 8, items: 400, latencyMs: 20, spreadMs: 0 },
    longItems: { workers: 1, concurrency: 32, items: 400, latencyMs: 50, spreadMs: 100 },
    ledger: 640,
    idleWorkers: [2],
    idleSettleMs: 250,
    idleMs: 500,
    doneBeforeKill: 50,
    large: 500,
  },
};

export function isScale(text: string): text is Scale {
  return Object.hasOwn(SIZES, text);
}

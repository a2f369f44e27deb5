import type { FigureName } from './figures.ts';
import type { Sizes } from './sizes.ts';

/** What is measured: the product, the limit that it is held against, and the queue that people use today. */
export type Subject = 'rollout' | 'bare' | 'bullmq';

export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** One measurement of one round. */
export interface Measurement {
  readonly subject: Subject;
  /** What it had to do, as the table shows it. */
  readonly load: string;
  readonly figures: Figures;
  /** CPU that others used meanwhile, in cores. */
  readonly foreignCores: number;
}

/** One thing that is measured, with its peers one after the other in the same round. */
export interface Part {
  readonly name: string;
  /** What takes most of an hour is measured once. */
  readonly mostRounds: number;
  measure(round: Round): Promise<readonly Measurement[]>;
}

export interface Round {
  readonly sizes: Sizes;
  /** A new directory for one run; removed at the end of the part. */
  newDir(): string;
  /** A file of so many items; made once and kept for all rounds. */
  input(items: number, lineBytes: number): string;
  /** What starting and ending a subject's processes takes: a run of one item. Measured once in a round. */
  startUp(subject: Subject): Promise<Run>;
}

/** What one command took, from its start to its end. */
export interface Run {
  readonly seconds: number;
  /** Of all its processes. */
  readonly cpuMs: number;
  readonly foreignCores: number;
}

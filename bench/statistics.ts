import type { Figures, Measurement, Run, Subject } from './contract.ts';
import { type FigureName, SHOWN_FIGURES } from './figures.ts';

/** With more than this of a core used by others, a round says little; it is marked. */
export const MOST_FOREIGN_CORES = 0.3;

/** The measurements of one part, round by round. */
export type Rounds = readonly (readonly Measurement[])[];

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** One line of the table: one figure of one load, for each subject that has it. */
export interface Row {
  readonly load: string;
  readonly figure: FigureName;
  readonly values: Readonly<Partial<Record<Subject, Spread>>>;
  /** The product's value divided by the other's in the same round: of these, the median. */
  readonly ratios: Readonly<Partial<Record<Exclude<Subject, 'rollout'>, number>>>;
  /** In how many rounds others used the machine. */
  readonly markedRounds: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return { median: (lower + upper) / 2, least, most };
}

export function rowsOf(rounds: Rounds): readonly Row[] {
  const all = rounds.flat();
  const loads = [...new Set(all.map(({ load }) => load))];
  return loads.flatMap((load) => {
    const figures = SHOWN_FIGURES.filter((name) => all.some((one) => one.load === load && one.figures[name] !== undefined));
    return figures.map((figure) => rowOf(rounds, load, figure));
  });
}

function rowOf(rounds: Rounds, load: string, figure: FigureName): Row {
  const valuesOf = (subject: Subject): readonly number[] => rounds.flatMap((round) => valueIn(round, load, figure, subject) ?? []);
  const subjects = (['rollout', 'bare', 'bullmq'] as const).filter((subject) => valuesOf(subject).length > 0);
  const others = subjects.filter((subject) => subject !== 'rollout');
  const isMarked = (one: Measurement): boolean => one.load === load && one.foreignCores > MOST_FOREIGN_CORES;
  return {
    load,
    figure,
    values: Object.fromEntries(subjects.map((subject) => [subject, spreadOf(valuesOf(subject))])),
    ratios: Object.fromEntries(others.map((other) => [other, spreadOf(ratiosOf(rounds, load, figure, other)).median])),
    markedRounds: rounds.filter((round) => round.some(isMarked)).length,
  };
}

function ratiosOf(rounds: Rounds, load: string, figure: FigureName, other: Subject): readonly number[] {
  return rounds.flatMap((round) => {
    const [own, theirs] = [valueIn(round, load, figure, 'rollout'), valueIn(round, load, figure, other)];
    return own === undefined || theirs === undefined || theirs === 0 ? [] : [own / theirs];
  });
}

function valueIn(round: readonly Measurement[], load: string, figure: FigureName, subject: Subject): number | undefined {
  return round.find((one) => one.load === load && one.subject === subject)?.figures[figure];
}

/** What `items` items took beyond what a run of one item takes: start-up and end are apart. Null where the run was no longer than that. */
export function beyondStartUp(run: Run, startUp: Run, items: number): Figures | null {
  const [seconds, cpuMs] = [run.seconds - startUp.seconds, run.cpuMs - startUp.cpuMs];
  if (seconds <= 0 || cpuMs <= 0) return null;
  return { itemsPerSecond: items / seconds, cpuUsPerItem: (cpuMs * 1_000) / items };
}

import { FAULT_KINDS, type FaultKind } from './fault-kinds.ts';
import { planOf, type WorldPlan } from './swarm.ts';

/** What may be said of a world beside its seed, as variables of `make sim`. */
export type PlanWords = Readonly<Partial<Record<'FAULTS' | 'ITEMS' | 'WORKERS' | 'COORDINATORS' | 'LAST' | 'SKIP', string | undefined>>>;

/** The world of a seed, with less in it where that is said. */
export function planFrom(seed: number, words: PlanWords): WorldPlan {
  const plan = planOf(seed);
  const kinds = words.FAULTS === undefined ? null : words.FAULTS.split(',').filter((kind) => kind !== 'none');
  const unknown = (kinds ?? []).filter((kind) => !FAULT_KINDS.includes(kind as FaultKind));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}; there are ${FAULT_KINDS.join(', ')}`);
  const rates = Object.fromEntries(Object.entries(plan.rates).filter(([kind]) => kinds === null || kinds.includes(kind)));
  return {
    ...plan,
    rates,
    items: numberIn(words.ITEMS, plan.items),
    workers: numberIn(words.WORKERS, plan.workers),
    coordinators: numberIn(words.COORDINATORS, plan.coordinators),
    lastFault: numberIn(words.LAST, plan.lastFault),
    skippedFaults: new Set(rangesIn(words.SKIP ?? '')),
  };
}

/** The command that makes this world again. */
export function commandFor(plan: WorldPlan): string {
  const whole = planOf(plan.seed);
  const words: PlanWords = {
    FAULTS: Object.keys(plan.rates).length === Object.keys(whole.rates).length ? undefined : Object.keys(plan.rates).join() || 'none',
    ITEMS: unlessSame(plan.items, whole.items),
    WORKERS: unlessSame(plan.workers, whole.workers),
    COORDINATORS: unlessSame(plan.coordinators, whole.coordinators),
    LAST: unlessSame(plan.lastFault, whole.lastFault),
    SKIP: rangesOf([...plan.skippedFaults].filter((number) => number <= plan.lastFault)) || undefined,
  };
  const said = Object.entries(words).filter(([, word]) => word !== undefined);
  return ['make sim', `SEED=${plan.seed}`, ...said.map(([name, word]) => `${name}=${word}`)].join(' ');
}

function unlessSame(now: number, before: number): string | undefined {
  return now === before ? undefined : String(now);
}

function numberIn(word: string | undefined, otherwise: number): number {
  if (word === undefined || word === '') return otherwise;
  const number = Number(word);
  if (!Number.isInteger(number) || number < 0) throw new Error(`${word} should be a number`);
  return number;
}

/** `3-7,9` */
function rangesIn(text: string): readonly number[] {
  return text.split(',').flatMap((range) => {
    if (range === '') return [];
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join();
}

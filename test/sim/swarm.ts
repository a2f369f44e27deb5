import { type Random, seededRandom } from '../../runtime/base/random.ts';
import type { ResultsKind } from '../../runtime/model/results-kind.ts';
import type { Timing } from '../../runtime/model/timing.ts';
import { FAULT_KINDS, FAULTS, type FaultKind, OF_COORDINATORS } from './fault-kinds.ts';

/** A world before it begins. Everything in it follows from the seed; what shrinking takes away is written over it. */
export interface WorldPlan {
  readonly seed: number;
  readonly items: number;
  /** How long a coordinator takes to index the input; 0: it was indexed long ago. */
  readonly indexingMs: number;
  /** Of the input lines and of the answers, where they are large; 0 else. */
  readonly lineBytes: number;
  readonly answerBytes: number;
  readonly invalidShare: number;
  readonly workers: number;
  readonly coordinators: number;
  readonly concurrency: number;
  readonly prefetch: number | null;
  readonly transport: 'stream' | 'poll';
  /** Second attempts for what runs long. */
  readonly stragglers: boolean;
  readonly timing: Timing;
  readonly drainTimeoutMs: number;
  /** How long a worker looks for a coordinator before it gives up, and is started again. */
  readonly waitCoordinatorMs: number;
  readonly requestTimeoutMs: number;
  readonly maxAttempts: number;
  readonly breaker: number;
  /** How fast and how slow a clock may run: 0.1 is a tenth. */
  readonly clockSpread: number;
  readonly travelMs: number;
  readonly executionMs: number;
  /** Of a thousand executions so many take up to thirty times as long. */
  readonly slowPerMille: number;
  /** So many items kill every worker that executes them. */
  readonly poisoned: number;
  /** How long things go wrong; then everything has to come to its end. */
  readonly faultsMs: number;
  /** Absent: never. */
  readonly rates: Readonly<Partial<Record<FaultKind, number>>>;
  /** Only faults of coordinators: then every item is executed once (L37). */
  readonly isExact: boolean;
  /** Where results are kept: on the disk, or in the store beside the ledger. */
  readonly results: ResultsKind;
  /** Faults behind this one, counted as they strike, do not happen; nor do those that are named. For shrinking. */
  readonly lastFault: number;
  readonly skippedFaults: ReadonlySet<number>;
}

/** A stream of chance of its own for each purpose: what is taken away from one does not change the others. */
export function streamOf(seed: number, purpose: string): Random {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < purpose.length; at += 1) hash = Math.imul(hash ^ purpose.charCodeAt(at), 0x01000193);
  return seededRandom(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(seed, 0x9e3779b1));
}

export function planOf(seed: number): WorldPlan {
  const random = streamOf(seed, 'plan');
  const isExact = random.next() < 0.15;
  const heartbeatIntervalMs = Math.round(between(random, 100, 800));
  // With a shorter one, a worker may look for the successor longer than it has time for (L37).
  const shortestMs = isExact ? 2_500 : 0;
  const coordinatorFailureTimeoutMs = Math.max(shortestMs, Math.round(heartbeatIntervalMs * between(random, 4, 12)));
  return {
    seed,
    items: Math.round(between(random, 8, 70)),
    indexingMs: indexingMsOf(seed),
    lineBytes: 0,
    answerBytes: 0,
    invalidShare: random.next() < 0.5 ? 0 : between(random, 0, 0.3),
    workers: workersOf(seed, 1 + Math.floor(random.next() * 4)),
    coordinators: 1 + Math.floor(random.next() * 3),
    concurrency: 1 + Math.floor(random.next() * 5),
    prefetch: Math.floor(random.next() * 5) || null,
    transport: random.next() < 0.65 ? 'stream' : 'poll',
    stragglers: !isExact && random.next() < 0.5,
    timing: {
      heartbeatIntervalMs,
      coordinatorFailureTimeoutMs,
      workerSelfFenceTimeoutMs: Math.round(coordinatorFailureTimeoutMs * between(random, 0.5, 0.9)),
      clockSkewBudgetMs: Math.round(heartbeatIntervalMs * between(random, 0.2, 1.8)),
      leaseRenewIntervalMs: Math.max(1, Math.round(coordinatorFailureTimeoutMs * between(random, 0.15, 0.5))),
      pollWaitMs: Math.round(between(random, 500, 20_000)),
    },
    drainTimeoutMs: Math.round(between(random, 500, 6_000)),
    waitCoordinatorMs: random.next() < 0.3 && !isExact ? 3 * coordinatorFailureTimeoutMs : Number.POSITIVE_INFINITY,
    requestTimeoutMs: Math.round(between(random, 4_000, 12_000)),
    maxAttempts: 2 + Math.floor(random.next() * 5),
    breaker: 2 + Math.floor(random.next() * 6),
    clockSpread: isExact ? 0.02 : pick(random, [0, 0.02, 0.15]),
    travelMs: pick(random, [1, 5, 20]),
    executionMs: pick(random, [50, 200, 600]),
    // An execution that takes longer than a request may is a failure of its own, and is tried again.
    slowPerMille: isExact ? 0 : pick(random, [0, 20, 60]),
    poisoned: !isExact && random.next() < 0.08 ? 1 : 0,
    faultsMs: Math.round(between(random, 4_000, 18_000)),
    rates: ratesOf(random, isExact ? OF_COORDINATORS : FAULT_KINDS),
    isExact,
    results: resultsOf(seed),
    lastFault: Number.POSITIVE_INFINITY,
    skippedFaults: new Set(),
  };
}

function indexingMsOf(seed: number): number {
  const random = streamOf(seed, 'indexing');
  return random.next() < 0.35 ? between(random, 200, 6_000) : 0;
}

function resultsOf(seed: number): ResultsKind {
  return streamOf(seed, 'results').next() < 0.3 ? 'inline' : 'directory';
}

/** A few worlds have many: each costs as much as several others. */
function workersOf(seed: number, few: number): number {
  const random = streamOf(seed, 'many workers');
  return random.next() < 0.05 ? 5 + Math.floor(random.next() * 8) : few;
}

/** How many of the kinds a world has, and how hard they strike: a few may strike harder than many could. */
const SWARMS: readonly [Swarm, ...Swarm[]] = [
  [0.1, 5],
  [0.2, 2],
  [0.35, 1],
  [0.7, 1],
];

type Swarm = readonly [share: number, strength: number];

/** Each kind is there or not, at a rate between next to nothing and its most: so that no fault always hides behind another one. */
function ratesOf(random: Random, kinds: readonly FaultKind[]): WorldPlan['rates'] {
  const [share, strength] = pick(random, SWARMS);
  const rates: Partial<Record<FaultKind, number>> = {};
  for (const kind of kinds) {
    const isThere = random.next() < share;
    const rate = FAULTS[kind].most * between(random, 0.1, strength);
    if (isThere) rates[kind] = rate;
  }
  return rates;
}

export function between(random: Random, from: number, to: number): number {
  return from + random.next() * (to - from);
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random.next() * choices.length)] ?? choices[0];
}

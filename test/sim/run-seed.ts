import type { Coverage } from './coverage.ts';
import { checkEnd } from './end-check.ts';
import { RuleBroken } from './rule-broken.ts';
import type { WorldPlan } from './swarm.ts';
import { World } from './world.ts';

/** What came of one world. */
export interface SeedResult {
  readonly plan: WorldPlan;
  /** Null where every rule held. */
  readonly failure: SeedFailure | null;
  readonly hash: string;
  /** How many faults struck. */
  readonly faults: number;
  readonly virtualMs: number;
  readonly coverage: Coverage;
  readonly lines: readonly string[];
}

export interface SeedFailure {
  readonly rule: string;
  readonly message: string;
}

export async function runOnce(plan: WorldPlan, isTraced = false): Promise<SeedResult> {
  const limit = Error.stackTraceLimit;
  // Worlds are full of errors that are expected, and the stacks of these are a tenth of the work.
  Error.stackTraceLimit = 0;
  const result = await runWorld(plan, isTraced).finally(() => (Error.stackTraceLimit = limit));
  // The same world once more, for the stack of an error that nobody expected.
  return result.failure?.rule === 'bug' && limit > 0 ? runWorld(plan, isTraced) : result;
}

async function runWorld(plan: WorldPlan, isTraced: boolean): Promise<SeedResult> {
  const world = new World(plan, isTraced);
  await world.run();
  const hash = world.trace.hash();
  if (world.failure === null) await checkEnd(world);
  return {
    plan,
    failure: world.failure === null ? null : failureOf(world.failure),
    hash,
    faults: world.faults.count,
    virtualMs: world.queue.nowMs,
    coverage: world.coverage,
    lines: world.trace.lines(),
  };
}

/** A chance or a wait that comes from elsewhere touches nearly every world, so that one in so many shows it as well as all would. */
export const TWICE_EVERY = 10;

/** The world of a seed among many others. */
export function runSeed(plan: WorldPlan): Promise<SeedResult> {
  return plan.seed % TWICE_EVERY === 0 ? runTwice(plan) : runOnce(plan);
}

/** Twice, with the same trace: otherwise the failure is the harness's own. */
export async function runTwice(plan: WorldPlan): Promise<SeedResult> {
  const first = await runOnce(plan);
  if (first.failure !== null) return first;
  const second = await runOnce(plan);
  if (first.hash === second.hash) return first;
  return { ...first, failure: { rule: 'same seed, same world', message: `the traces differ: ${first.hash} and ${second.hash}` } };
}

function failureOf(cause: unknown): SeedFailure {
  if (cause instanceof RuleBroken) return { rule: cause.rule, message: cause.message };
  return { rule: 'bug', message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
}

/**
 * `make sim`: coordinators and workers in worlds that go wrong by seed. SEEDS=20000 says how many, FROM=1 where they begin; SEED=7 is one
 * world alone. A world that fails is made smaller, and the command for the smallest is printed. TRACE=1 prints what happened in it.
 */
import { execFileSync } from 'node:child_process';
import { Coverage } from '../test/sim/coverage.ts';
import { ENOUGH_SEEDS, missing } from '../test/sim/must-happen.ts';
import { commandFor, planFrom } from '../test/sim/plan-words.ts';
import { runOnce, runSeed, runTwice, type SeedResult } from '../test/sim/run-seed.ts';
import { Shrinking } from '../test/sim/shrink.ts';
import type { WorldPlan } from '../test/sim/swarm.ts';

const DEFAULT_SEEDS = 2_000;
const REPORT_EVERY_MS = 15_000;

const { env } = process;
const one = numberOf('SEED');
const from = one ?? numberOf('FROM') ?? 1;
const count = one === null ? (numberOf('SEEDS') ?? DEFAULT_SEEDS) : 1;
/** One run of each seed, and no shrinking: how the planted faults are looked for (scripts/mutants.ts). */
const isQuick = env['QUICK'] === '1';
/** Of many seeds every tenth is run twice, one that is asked for always. */
const run = runner();
const seen = new Coverage();
const startMs = performance.now();
let reportedMs = startMs;
let done = 0;
let failed = 0;

for (let seed = from; seed < from + count; seed += 1) {
  const plan = planFrom(seed, env);
  const result = await run(plan);
  done += 1;
  seen.add(result.coverage);
  if (result.failure !== null) {
    failed += 1;
    await tellFailure(result);
    if (isQuick) break;
  }
  if (performance.now() - reportedMs > REPORT_EVERY_MS) report();
}
report();
if (one !== null && env['TRACE'] === '1') say((await runOnce(planFrom(one, env), true)).lines.join('\n'));
if (!isQuick && one === null) summarize();
const never = one === null && count >= ENOUGH_SEEDS && !isQuick ? missing(seen) : [];
if (never.length > 0) say(`never happened, and must: ${never.join(', ')}`);
process.exitCode = failed === 0 && never.length === 0 ? 0 : 1;

function runner(): (plan: WorldPlan) => Promise<SeedResult> {
  if (isQuick) return runOnce;
  return one === null ? runSeed : runTwice;
}

async function tellFailure(result: SeedResult): Promise<void> {
  const { failure, plan } = result;
  say(`seed ${plan.seed} at commit ${commit()}: ${failure?.rule}: ${failure?.message}`);
  if (isQuick) return;
  const shrinking = new Shrinking(result, runOnce);
  const small = await shrinking.shrink();
  say(`  smallest of ${shrinking.runs} worlds: ${small.failure?.rule}: ${small.failure?.message}`);
  say(`  ${commandFor(small.plan)} TRACE=1`);
}

function summarize(): void {
  for (const [what, times] of seen.entries()) say(`${String(times).padStart(10)}  ${what}`);
  const deaths = seen.of('fault coordinator-killed') + seen.of('fault all-coordinators-killed');
  const again = seen.of('executed again');
  say(`${again} of ${seen.of('executions')} executions were not the first of their item; ${deaths} times a coordinator was killed`);
}

function report(): void {
  reportedMs = performance.now();
  const seconds = (reportedMs - startMs) / 1_000;
  say(`${done} of ${count} seeds in ${seconds.toFixed(0)} s, ${(done / seconds).toFixed(1)} a second, ${failed} failed`);
}

function commit(): string {
  try {
    const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const changed = execFileSync('git', ['status', '--porcelain', 'runtime', 'test/sim'], { encoding: 'utf8' }).trim();
    return changed === '' ? head : `${head}, changed`;
  } catch {
    return 'unknown';
  }
}

function numberOf(name: string): number | null {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new Error(`${name}=${text} should be a whole number`);
  return number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

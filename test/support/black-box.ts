import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type BlackBoxPlan, blackBoxPlan, type Kill } from './black-box-plan.ts';
import type { Begun } from './command.ts';
import { invariantBreaks } from './invariant.ts';
import { signal, supervisorFirst } from './process-table.ts';
import { exitOf, makeRun, type Run } from './run.ts';
import { PATIENCE_MS, until } from './until.ts';
import { FINE } from './zoo/habits.ts';
import { type ZooServer, zooServer } from './zoo/server.ts';

/** From this start on the servers answer everything: a run that a server refuses again and again need not end by itself. */
const KIND_FROM_START = 7;
const MOST_STARTS = 12;

export interface BlackBoxEnd {
  /** What breaks the promise; empty when it holds. */
  readonly violations: readonly string[];
  readonly kills: number;
  readonly story: string;
}

/** One run as its user has it: servers that answer by chance, processes that are killed, and the same command until it is done. */
export async function blackBox(t: ExecutionContext, seed: number): Promise<BlackBoxEnd> {
  const plan = blackBoxPlan(seed);
  const servers = await Promise.all(plan.servers.map(({ habit, serviceMs }) => zooServer(t, habit, { serviceMs })));
  const run = makeRun(t, { lines: plan.input, args: [...servers.flatMap(({ url }) => ['--base-url', url]), ...plan.args] });
  const box = new BlackBox(run, servers, plan);
  const violations = await box.runToEnd().catch((error: Error) => [error.message]);
  const named = violations.map((text) => `ROLLOUT_TEST_SEED=${seed}: ${text}`);
  return { violations: named, kills: box.kills, story: `seed ${seed}: ${box.story()}` };
}

class BlackBox {
  kills = 0;
  private readonly run: Run;
  private readonly servers: readonly ZooServer[];
  private readonly toKill: Kill[];
  /** The command itself can be killed only where it is a process. */
  private readonly hasProcess: boolean;
  private readonly startedMs = performance.now();
  private readonly happened: string[] = [];
  /** Every line that was recorded when it was last looked at. */
  private recorded: ReadonlySet<string> = new Set();

  constructor(run: Run, servers: readonly ZooServer[], { kills }: BlackBoxPlan) {
    this.run = run;
    this.servers = servers;
    this.toKill = [...kills];
    this.hasProcess = kills.some(({ victim }) => victim === 'everything');
  }

  story(): string {
    const items = new Set(this.servers.flatMap(({ executions }) => [...executions.keys()]));
    return `${this.happened.join(', ')}; ${this.requests()} requests for ${items.size} items; ${this.recorded.size} lines`;
  }

  /** What breaks the promise. */
  async runToEnd(): Promise<readonly string[]> {
    for (let start = 1; start <= MOST_STARTS; start += 1) {
      if (start === KIND_FROM_START) for (const server of this.servers) server.behave(FINE);
      const command = this.start();
      const isKilled = await this.killSome(command);
      const exit = await exitOf(command, PATIENCE_MS);
      this.note(`exit ${exit}`);
      await until('no process is left', PATIENCE_MS, () => this.run.processes().length === 0);
      if (exit === 0 || exit === 1) return this.breaksAtEnd(exit);
      if (exit !== 4 && exit !== 5 && !isKilled) return [`start ${start} ended with ${exit}: ${command.stderr()}`];
      const violations = await this.violationsBetween();
      if (violations.length > 0) return violations;
    }
    return [`not done after ${MOST_STARTS} starts`];
  }

  private start(): Begun {
    return this.hasProcess ? this.run.startProcess() : this.run.start();
  }

  /** Kills as planned until the command has ended; says whether the command itself was killed. */
  private async killSome(command: Begun): Promise<boolean> {
    for (;;) {
      const kill = this.toKill[0];
      if (kill === undefined) return false;
      const before = this.requests();
      const isReached = (): boolean => this.requests() >= before + kill.afterRequests && this.victims(kill).length > 0;
      await until('the moment of a kill', PATIENCE_MS, () => command.hasExited() || isReached());
      await sleep(kill.afterMs);
      if (command.hasExited()) return false;
      if (!this.perform(kill)) continue;
      this.toKill.shift();
      if (kill.victim === 'everything') return true;
    }
  }

  /** Says whether there was still something to kill. */
  private perform(kill: Kill): boolean {
    const killed = this.victims(kill).filter((pid) => signal(pid, 'SIGKILL'));
    if (killed.length === 0) return false;
    this.kills += 1;
    this.note(`${kill.victim} killed`);
    return true;
  }

  private victims({ victim, nth }: Kill): readonly number[] {
    if (victim === 'everything') return supervisorFirst(this.run.processes()).map(({ pid }) => pid);
    const workers = this.run.workers();
    const one = victim === 'worker' ? workers[nth % Math.max(1, workers.length)] : this.run.coordinator();
    return one === undefined ? [] : [one];
  }

  private async violationsBetween(): Promise<readonly string[]> {
    const output = join(this.run.dir, 'so-far.jsonl');
    if (!existsSync(this.run.state)) return this.breaksOfLoss(new Set());
    const exported = await this.run.verb('export', '--partial', '--output', output);
    const isNone = exported.exit !== 0 && this.recorded.size === 0;
    if (exported.exit !== 0 && !isNone) return [`export --partial ended with ${exported.exit}: ${exported.stderr}`];
    return isNone ? [] : this.breaksOfLoss(linesOf(output, `${output}.errors.jsonl`));
  }

  private async breaksAtEnd(exit: 0 | 1): Promise<readonly string[]> {
    const { run } = this;
    const verified = await run.verb('verify');
    return [
      ...invariantBreaks(run),
      ...(verified.exit === 0 ? [] : [`verify ended with ${verified.exit}: ${verified.stdout}${verified.stderr}`]),
      ...(exit === (run.failures().length > 0 ? 1 : 0) ? [] : [`exit ${exit} with ${run.failures().length} failed lines`]),
      ...this.breaksOfAnswers(),
      ...this.breaksOfLoss(linesOf(run.output, run.errors)),
    ];
  }

  private breaksOfLoss(now: ReadonlySet<string>): readonly string[] {
    const lost = [...this.recorded].filter((line) => !now.has(line));
    this.recorded = now;
    return lost.map((line) => `recorded once, and now lost or another: ${line}`);
  }

  /** Each success is the answer to its own item. */
  private breaksOfAnswers(): readonly string[] {
    return this.run
      .results()
      .filter((line) => !JSON.stringify(line.response?.body).includes(`"answer to ${line.custom_id}"`))
      .map((line) => `another answer than its own: ${JSON.stringify(line)}`);
  }

  private note(what: string): void {
    this.happened.push(`${what} at ${((performance.now() - this.startedMs) / 1_000).toFixed(1)} s`);
  }

  private requests(): number {
    return this.servers.reduce((sum, server) => sum + server.total(), 0);
  }
}

function linesOf(...paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => readFileSync(path, 'utf8').split('\n')).filter((line) => line !== ''));
}

/**
 * `make test`: the build, then the gates and all tests, side by side. Arguments are the test files to run instead of all; then only the
 * build is made. A file of process tests that failed is run once more, alone, when all others have ended: that result counts, and the
 * file is named as flaky where it passes. The last line is "N passed, N failed", a gate counting as one; a run in which no test ran has
 * failed.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterEnvironment } from '../test/support/cluster/scripts.ts';
import { ClusterLane, isClusterUnwanted, UNWANTED } from './cluster-lane.ts';
import { GATES, runGates } from './gates.ts';
import { Lane, type Took } from './lane.ts';
import type { FileResult, LaneResult } from './lane-report.ts';
import { isOfProcesses, type LanePlan, planOfProcesses, planRun } from './lanes.ts';
import { killLeftovers, RUN_MARK } from './leftovers.ts';
import { untilNotOverloaded } from './overload.ts';
import { installSystemPackages } from './system-packages.ts';
import { bothResults, costliest, filesToRepeat, MOST_REPEATED, slowest, verdictOf } from './verdict.ts';

/** How often a run says what is under way. */
const REPORT_EVERY_MS = 60_000;
/** The longest test that there is has ten minutes. */
const SILENCE_LIMIT_MS = 12 * 60_000;
/** A run that takes longer hangs: it says what still runs, and ends. */
const LIMIT_MS = 75 * 60_000;

const startMs = performance.now();
const mark = randomUUID();
process.env[RUN_MARK] = mark;
// Some hundred processes read the same code: kept compiled, each takes half the time to start. Of this run alone, so it never grows.
const compileCache = mkdtempSync(join(tmpdir(), 'rollout-test-compiled-'));
process.env['NODE_COMPILE_CACHE'] = compileCache;
installSystemPackages((line) => say(line));
const only = process.argv.slice(2);
const build = await runGates(GATES.slice(0, 1));
// Beside the tests: they need the build, and nothing else of it.
const others = only.length === 0 ? runGates(GATES.slice(1)) : [];
const failures: string[] = [];

/** Lanes that begin nothing while the machine is overloaded; the others go on whatever the load is. */
const YIELDING = ['2', '4', '6', '7', '8'];
/** The lane of the tests on the second cluster. */
const SECOND_CLUSTER = '8';
/** So many of the slowest files are named at the end, and of those that took most CPU. */
const NAMED = 10;

const running = new Set<Lane>();
const took = new Map<string, Took>();
const reasons = new Map<string, readonly string[]>();
let cpuMs = 0;
let isStopped = false;
const report = setInterval(() => {
  sayRunning();
  for (const lane of running) lane.stopIfSilent(SILENCE_LIMIT_MS);
}, REPORT_EVERY_MS);
const limit = setTimeout(() => stopAll(`the run took longer than ${LIMIT_MS / 60_000} minutes`), LIMIT_MS);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopAll('the run was interrupted'));

const plan = planRun(only);
const working = [...plan.working];
const waiting = [...plan.waiting];
const ofCluster = [...plan.clusterShared, ...plan.clusterAlone, ...plan.clusterLast];
const cluster = new ClusterLane((line) => say(`[cluster] ${line}`));
const skipped = isClusterUnwanted() ? ofCluster.flatMap(({ files }) => files) : [];
const ofLanes = await Promise.all([
  takeFrom('1', working),
  takeFrom('2', working),
  // Two lanes that work leave a quarter of two cores idle.
  takeFrom('3', waiting, working),
  takeFrom('4', waiting, working),
  takeCluster(),
]);
const lanes = ofLanes.flat();
const gates = [...build, ...(await others)];
failures.push(...gates.filter((gate) => !gate.isPassed).map((gate) => `gate: ${gate.name}`));
const failedGates = gates.filter((gate) => !gate.isPassed).length;
const again = await runAgain(lanes.flatMap((lane) => lane.files).filter(({ file }) => isOfProcesses(file)));
clearInterval(report);
clearTimeout(limit);
failures.push(...(await cluster.end()));
for (const command of killLeftovers(mark)) say(`was left running, killed: ${command}`);
rmSync(compileCache, { recursive: true, force: true });

const verdict = verdictOf(lanes, again);
failures.push(...verdict.failures);
if (verdict.passed === 0 && failures.length === failedGates) failures.push('no test ran');
for (const line of [...costliest(took, NAMED), ...slowest(took, NAMED)]) say(line);
say(`${sinceStart()}: all is finished; the tests took ${(cpuMs / 1_000).toFixed(0)} s of CPU`);
for (const title of verdict.flaky) sayWithReason('flaky', title);
for (const file of skipped) say(`skipped: ${file} (${UNWANTED})`);
for (const failure of failures) sayWithReason('failed', failure);
const ofSkipped = skipped.length === 0 ? '' : `, ${skipped.length} files skipped`;
say(`${verdict.passed + gates.length - failedGates} passed, ${failures.length} failed${ofSkipped}`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** A free lane takes the next plan of the first queue that has one, so that all end at about the same time. */
async function takeFrom(lane: string, ...queues: readonly LanePlan[][]): Promise<readonly LaneResult[]> {
  const results: LaneResult[] = [];
  for (const queue of queues) {
    while (queue.length > 0) {
      if (YIELDING.includes(lane)) await untilNotOverloaded(() => isStopped);
      const next = queue.shift();
      if (next !== undefined) results.push(await runLane({ ...next, name: `${lane} ${next.name}` }, envOf(lane)));
    }
  }
  say(`${sinceStart()}: lane ${lane} finished`);
  return results;
}

function envOf(lane: string): Readonly<Record<string, string>> {
  return lane === SECOND_CLUSTER ? clusterEnvironment(1) : {};
}

/** The cluster is built beside all other tests, which takes minutes where nothing is cached. */
async function takeCluster(): Promise<readonly LaneResult[]> {
  const files = ofCluster.flatMap((one) => one.files);
  if (files.length === skipped.length) return [];
  const why = await cluster.start(files);
  if (why !== null) return [{ files: [], failures: [`test/cluster (${files.length} files): ${why}`] }];
  const shared = [...plan.clusterShared];
  const first = await Promise.all(['5', '6', '7'].map((lane) => takeFrom(lane, shared)));
  const alone = [...plan.clusterAlone];
  const [ofFirst, ofSecond] = await Promise.all([takeFrom('5', alone), takeOnSecond(alone)]);
  return [...first.flat(), ...ofFirst, ...ofSecond, ...(await takeFrom('5', [...plan.clusterLast]))];
}

/** Not begun for one file, which the first cluster has taken. */
async function takeOnSecond(alone: LanePlan[]): Promise<readonly LaneResult[]> {
  return alone.length > 0 && (await cluster.startSecond()) ? takeFrom(SECOND_CLUSTER, alone) : [];
}

/** A run that is stopped still hears of each file: as one of which nothing was heard. */
async function runLane(lanePlan: LanePlan, env: Readonly<Record<string, string>> = {}): Promise<LaneResult> {
  const lane = new Lane(lanePlan, { env });
  if (isStopped) lane.stop();
  running.add(lane);
  const result = await lane.run();
  running.delete(lane);
  cpuMs += lane.cpuMs();
  for (const [file, of] of lane.took()) took.set(file, of);
  for (const [failure, lines] of lane.reasons()) reasons.set(failure, lines);
  if (lane.took().size === 0) took.set(`test/unit/ (${lanePlan.files.length} files at a time)`, { wallMs: 0, cpuMs: lane.cpuMs() });
  return result;
}

async function runAgain(first: readonly FileResult[]): Promise<readonly FileResult[]> {
  const files = isStopped ? [] : filesToRepeat(first);
  const failed = first.filter((result) => result.failures.length > 0).length;
  if (failed > files.length) say(`not run again: ${failed} files of process tests have failed; up to ${MOST_REPEATED} are run once more`);
  const results: FileResult[] = [];
  for (const file of files) results.push(...(await runLane({ ...planOfProcesses(file), name: 'again' })).files);
  for (const second of results) for (const one of first) if (one.file === second.file) say(bothResults(one, second));
  return results;
}

function sayRunning(): void {
  for (const lane of running) {
    const text = lane.running();
    if (text !== null) say(`running ${text}`);
  }
}

function stopAll(why: string): void {
  failures.push(why);
  sayRunning();
  isStopped = true;
  cluster.stop();
  for (const lane of running) lane.stop();
}

/** The reason once more: what was said when it happened is thousands of lines above. */
function sayWithReason(what: string, failure: string): void {
  for (const line of [`${what}: ${failure}`, ...(reasons.get(failure) ?? [])]) say(line);
}

function sinceStart(): string {
  return `${((performance.now() - startMs) / 1000).toFixed(0)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

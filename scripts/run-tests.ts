/**
 * `make test`: the gates, then all tests, in lanes side by side. Arguments are the test files to run instead of all; then
 * only the build is made before. The last line is "N passed, N failed", a gate counting as one; a run in which no test ran has failed.
 */
import { randomUUID } from 'node:crypto';
import { GATES, runGates } from './gates.ts';
import { Lane, type LaneTotals } from './lane.ts';
import { planSlots } from './lanes.ts';
import { killLeftovers, RUN_MARK } from './leftovers.ts';
import { installSystemPackages } from './system-packages.ts';

/** How often a run says what is under way. */
const REPORT_EVERY_MS = 60_000;
/** The longest test that there is has ten minutes. */
const SILENCE_LIMIT_MS = 12 * 60_000;
/** A run that takes longer hangs: it says what still runs, and ends. */
const LIMIT_MS = 75 * 60_000;

const mark = randomUUID();
process.env[RUN_MARK] = mark;
installSystemPackages((line) => process.stdout.write(`${line}\n`));
const only = process.argv.slice(2);
const gates = await runGates(only.length === 0 ? GATES : GATES.slice(0, 1));
const failures = gates.filter((gate) => !gate.isPassed).map((gate) => `gate: ${gate.name}`);
const failedGates = failures.length;

const slots = planSlots(only).map((plans) => plans.map((plan) => new Lane(plan)));
let isStopped = false;
const report = setInterval(() => {
  sayRunning();
  for (const lane of slots.flat()) lane.stopIfSilent(SILENCE_LIMIT_MS);
}, REPORT_EVERY_MS);
const limit = setTimeout(() => {
  failures.push(`the run took longer than ${LIMIT_MS / 60_000} minutes`);
  sayRunning();
  stopAll();
}, LIMIT_MS);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, onInterrupted);

const totals: readonly LaneTotals[] = (await Promise.all(slots.map(runInTurn))).flat();
clearInterval(report);
clearTimeout(limit);
for (const command of killLeftovers(mark)) process.stdout.write(`was left running, killed: ${command}\n`);

const passed = totals.reduce((sum, lane) => sum + lane.passed, 0);
failures.push(...totals.flatMap((lane) => lane.failures));
if (passed === 0 && failures.length === failedGates) failures.push('no test ran');
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${passed + gates.length - failedGates} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function runInTurn(lanes: readonly Lane[]): Promise<readonly LaneTotals[]> {
  const done: LaneTotals[] = [];
  for (const lane of lanes) if (!isStopped) done.push(await lane.run());
  return done;
}

function sayRunning(): void {
  const running = slots.flat().map((lane) => lane.running());
  for (const text of running.filter((one) => one !== null)) process.stdout.write(`running ${text}\n`);
}

function stopAll(): void {
  isStopped = true;
  for (const lane of slots.flat()) lane.stop();
}

function onInterrupted(): void {
  failures.push('the run was interrupted');
  stopAll();
}

/**
 * `make test`: the gates, then all tests in two lanes side by side. Arguments are the test files to run instead of all; then the
 * gates are left out. The last line is "N passed, N failed", a gate counting as one; a run in which no test ran has failed.
 */
import { GATES, runGates } from './gates.ts';
import { Lane, type LaneTotals } from './lane.ts';
import { planLanes } from './lanes.ts';

/** How often a run says what is under way. */
const REPORT_EVERY_MS = 60_000;
/** A run that takes longer hangs: it says what still runs, and ends. */
const LIMIT_MS = 75 * 60_000;

const only = process.argv.slice(2);
const plans = planLanes(only);
const gates = only.length === 0 ? await runGates(GATES) : [];
const failures = gates.filter((gate) => !gate.isPassed).map((gate) => `gate: ${gate.name}`);

const lanes = plans.map((plan) => new Lane(plan));
const report = setInterval(sayRunning, REPORT_EVERY_MS);
const limit = setTimeout(() => {
  failures.push(`the run took longer than ${LIMIT_MS / 60_000} minutes`);
  sayRunning();
  stopAll();
}, LIMIT_MS);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, onInterrupted);

const totals: readonly LaneTotals[] = await Promise.all(lanes.map((lane) => lane.run()));
clearInterval(report);
clearTimeout(limit);

const passed = totals.reduce((sum, lane) => sum + lane.passed, 0);
failures.push(...totals.flatMap((lane) => lane.failures));
if (passed === 0 && failures.length === gates.filter((gate) => !gate.isPassed).length) failures.push('no test ran');
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${passed + gates.filter((gate) => gate.isPassed).length} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

function sayRunning(): void {
  const running = lanes.map((lane) => lane.running()).filter((text) => text !== null);
  for (const text of running) process.stdout.write(`running ${text}\n`);
}

function stopAll(): void {
  for (const lane of lanes) lane.stop();
}

function onInterrupted(): void {
  failures.push('the run was interrupted');
  stopAll();
}

import { readFileSync } from 'node:fs';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { exitOf, makeRun, type Run } from '../support/run.ts';
import { HABITS } from '../support/zoo/habits.ts';
import { zooServer } from '../support/zoo/server.ts';

/** A worker without items takes about 110 MiB, and garbage is collected late on a busy machine; all answers together are 702 MiB. */
const MOST_MIB = 640;

/** The most memory that each process of the run has had, in MiB, by its role; of processes that live now. */
function peaksOf(run: Run): readonly (readonly [string, number])[] {
  return run.processes().flatMap(({ pid, role }) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return [[role, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024] as const];
    } catch {
      return [];
    }
  });
}

test('a run of 64 answers of 11.5 MB at a time holds few of them in memory: neither its worker nor its coordinator grows with them', async (t) => {
  t.timeout(600_000);
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(11.5e6) } }] }));
  const server = await zooServer(t, HABITS.always({ kind: 'answer', status: 200, body }));
  const run = makeRun(t, { lines: batchLines(64), args: ['--base-url', server.url, '--concurrency', '64'] });
  const peaks = new Map<string, number>();
  const watch = setInterval(() => {
    for (const [role, mib] of peaksOf(run)) peaks.set(role, Math.max(mib, peaks.get(role) ?? 0));
  }, 100);
  t.teardown(() => clearInterval(watch));
  const command = run.startProcess();
  t.is(await exitOf(command, 500_000), 0, command.stderr());
  clearInterval(watch);
  t.log([...peaks].map(([role, mib]) => `${role} ${Math.round(mib)} MiB`).join(', '));
  // The output is longer than a string may be, so its own check is asked.
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, verified.stdout + verified.stderr);
  t.is(server.total(), 64);
  t.deepEqual([...peaks.keys()].toSorted(), ['cli', 'coordinator', 'worker']);
  for (const [role, mib] of peaks) t.true(mib < MOST_MIB, `${role}: ${Math.round(mib)} MiB`);
});

import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLine, itemIds } from '../support/batch-lines.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const LINE_BYTES = 65_536;
const ITEMS = 4_800;
const MEBIBYTE = 2 ** 20;
const MOST_MEBIBYTES = 256;

test(`an input of ${Math.round((LINE_BYTES * ITEMS) / MEBIBYTE)} MiB goes through the coordinator within ${MOST_MEBIBYTES} MiB of memory`, async (t) => {
  t.timeout(300_000);
  const run = makeRun(t, { lines: [], args: ['--backend', 'mock', '--mock-latency', '1ms', '--workers', '1', '--concurrency', '32'] });
  const file = createWriteStream(run.input);
  const filler = 'x'.repeat(LINE_BYTES);
  for (const id of itemIds(ITEMS)) if (!file.write(`${batchLine(id, filler)}\n`)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
  const command = run.start();
  const coordinator = await until('a coordinator', PATIENCE_MS, () => run.coordinator());
  let peakMiB = 0;
  while (!command.hasExited()) {
    peakMiB = Math.max(peakMiB, peakOf(coordinator));
    await sleep(50);
  }
  t.is(await exitOf(command, 1_000), 0, command.stderr());
  t.log(`peak ${Math.round(peakMiB)} MiB`);
  t.true(peakMiB > 0 && peakMiB <= MOST_MEBIBYTES, `${peakMiB} MiB`);
  await checkInvariant(t, run);
});

/** The most memory that the process ever had, as the kernel counts it; 0 once it is gone. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

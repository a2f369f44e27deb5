import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { encodeFrames } from '../../runtime/results/log/segment.ts';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { until } from '../support/until.ts';

const ITEMS = 240;
/** For processes to start and to get under way, on a machine under full load. */
const START_MS = 90_000;

function segments(run: Run): readonly string[] {
  const dir = join(run.state, 'segments');
  return readdirSync(dir)
    .filter((name) => name.endsWith('.seg'))
    .toSorted()
    .map((name) => join(dir, name));
}

/** The segment that was written last. */
function newest(run: Run): string {
  return segments(run).at(-1) ?? '';
}

test('L17: killed in the middle of writes, with a tail cut, zeroed or of garbage each time, a run goes on and ends right', async (t) => {
  t.timeout(300_000);
  const random = testRandom(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 120 }));
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '8'] });
  const half = encodeFrames(0, [{ index: 1, attempt: 9, kind: 'result', line: Buffer.from('never acknowledged') }]);
  const tails = [half.subarray(0, between(random, 1, half.length - 1)), Buffer.alloc(between(random, 1, 9_000)), Buffer.alloc(300, 0xa7)];
  for (const [turn, tail] of tails.entries()) {
    const command = run.startProcess();
    const executed = server.total();
    await until(`turn ${turn} is under way`, START_MS, () => {
      if (command.hasExited()) throw new Error(command.stderr());
      return server.total() > executed + 30;
    });
    run.killEverything();
    await command.exited;
    appendFileSync(newest(run), tail);
  }
  const sizes = segments(run).map((path) => statSync(path).size);
  const last = run.start();
  t.is(await exitOf(last, START_MS), 0, last.stderr());
  await checkInvariant(t, run);
  t.deepEqual(
    segments(run)
      .map((path) => statSync(path).size)
      .slice(0, sizes.length),
    sizes,
    'nobody repaired a segment or wrote to it again',
  );
});

test('L39: a recorded result that is damaged before the run goes on is told before anything is executed', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 120 }));
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--concurrency', '8'] });
  const first = run.startProcess();
  await until('the run is under way', START_MS, () => server.total() > 60);
  run.killEverything();
  await first.exited;
  const path = newest(run);
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(500) ^ 0x01, 500);
  writeFileSync(path, bytes);
  const executed = server.total();
  const second = run.start();
  t.is(await exitOf(second, START_MS), 2, second.stderr());
  t.regex(second.stderr(), /\.seg cannot be read from byte \d+ of \d+ on: a checksum is wrong/);
  t.is(server.total(), executed);
  t.deepEqual(run.results(), []);
});

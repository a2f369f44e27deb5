import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { seededRandom } from '../../runtime/base/random.ts';
import { SegmentReader } from '../../runtime/results/log/segment-reader.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { logFrame } from '../support/log-frame.ts';
import { scratch } from '../support/scratch.ts';

const WRITER = fileURLToPath(new URL('../support/log-writer.ts', import.meta.url));
const KILLS = 40;

/** Starts a writer, kills it after so many acknowledgements and a moment more; the highest index that it acknowledged. */
async function writeAndKill(dir: string, epoch: number, acknowledgements: number, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, dir, String(epoch)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let isDue = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (isDue || text.split('\n').length <= acknowledgements) return;
    isDue = true;
    setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  const [, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL') throw new Error('the writer ended by itself');
  return Math.max(...text.split('\n').slice(0, -1).map(Number));
}

test(`L18: whatever moment the writer is killed at (${KILLS} times), a prefix is read, with everything acknowledged in it`, async (t) => {
  t.timeout(300_000);
  const dir = scratch(t);
  const random = seededRandom(7);
  const acknowledged: number[] = [];
  for (let epoch = 0; epoch < KILLS; epoch++) {
    acknowledged.push(await writeAndKill(dir, epoch, 1 + Math.floor(random.next() * 30), random.next() * 12));
  }
  const place = directoryPlace(dir);
  const epochs = await place.epochs();
  t.is(epochs.length, KILLS);
  for (const epoch of epochs) {
    const reader = await SegmentReader.open(place, epoch, 'place');
    let count = 0;
    for (let block = await reader.next(); block !== null; block = await reader.next()) {
      for (const frame of block.frames) {
        const expected = logFrame(count++);
        const isSame = frame.index === expected.index && frame.attempt === expected.attempt && frame.kind === expected.kind;
        t.true(isSame && Buffer.compare(frame.line, expected.line) === 0, `epoch ${epoch}, frame ${count}`);
      }
    }
    t.true(count > (acknowledged[epoch] ?? Number.NaN), `epoch ${epoch}: ${count} read, ${acknowledged[epoch]} acknowledged`);
    const { problem } = await reader.end();
    t.true(problem === null || problem === 'torn', `epoch ${epoch}: ${problem}`);
    await reader.close();
  }
});

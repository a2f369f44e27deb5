import { writeSync } from 'node:fs';
import process from 'node:process';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { createdLog } from './created-log.ts';
import { keepCompiled } from './keep-compiled.ts';
import { logFrame } from './log-frame.ts';

/** A process that appends frames without end and says, after each append, up to which index everything is durable. To be killed. */
const [dir, epochText] = process.argv.slice(2);
if (dir === undefined || epochText === undefined) throw new Error('usage: log-writer <dir> <epoch>');

keepCompiled();
const IN_FLIGHT = 4;
const log = await createdLog(directoryPlace(dir), Number(epochText), { placeId: 'place' });
let next = 0;

async function append(): Promise<void> {
  for (;;) {
    const frames = Array.from({ length: 1 + (next % 7) }, () => logFrame(next++));
    await log.append(frames);
    say(`${frames.at(-1)?.index}\n`);
  }
}

/** Straight to the system: what this process says is out, even if it is killed at the next instruction. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      // Whoever reads is busy, and the pipe is full.
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, append));

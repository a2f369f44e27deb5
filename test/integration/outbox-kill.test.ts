import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openOutbox } from '../../runtime/worker/outbox/open.ts';
import { scratch } from '../support/scratch.ts';
import { testRandom } from '../support/seed.ts';

const WRITER = fileURLToPath(new URL('../support/outbox-writer.ts', import.meta.url));
const KILLS = 10;
const FIRST_ITEMS = 100_000;

interface Said {
  readonly kind: 'found' | 'epoch' | 'stored' | 'forgotten';
  readonly indexes: readonly number[];
}

/** Starts a writer, and kills it so many milliseconds after it has found what there was. */
async function writeAndKill(dir: string, first: number, afterMs: number): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [WRITER, dir, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    text += chunk.toString();
  });
  const [, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL') throw new Error('the writer ended by itself');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Said);
}

/** What has to be found, by what the writers have said. */
class Kept {
  readonly indexes = new Set<number>();
  forgotten = 0;
  epoch = 0;

  take({ kind, indexes }: Said): void {
    for (const index of indexes) {
      if (kind === 'epoch') this.epoch = index;
      else if (kind !== 'forgotten') this.indexes.add(index);
      else if (this.indexes.delete(index)) this.forgotten += 1;
    }
  }

  missingIn(found: readonly number[]): readonly number[] {
    const there = new Set(found);
    return [...this.indexes].filter((index) => !there.has(index));
  }
}

test(`L33, L34: whatever moment a worker is killed at (${KILLS} times), the next one finds what was stored and not forgotten`, async (t) => {
  t.timeout(120_000);
  const dir = scratch(t);
  const random = testRandom(t);
  const kept = new Kept();
  for (let round = 1; round <= KILLS; round += 1) {
    for (const one of await writeAndKill(dir, round * FIRST_ITEMS, random.next() * 60)) {
      if (one.kind === 'found') t.deepEqual(kept.missingIn(one.indexes), [], `round ${round}`);
      kept.take(one);
    }
  }
  t.true(kept.forgotten > 0 && kept.indexes.size > 0);
  const last = await openOutbox({ dir, workerId: 'w1', runId: 'run', waitForDiskSpace: async () => false });
  t.true(last.highestEpoch >= kept.epoch);
  const lines = new Map(last.found.map(({ index, line }) => [index, Buffer.from(line).toString()]));
  for (const index of kept.indexes) t.is(lines.get(index), Buffer.alloc(400, `${index} `).toString());
  await last.close();
});

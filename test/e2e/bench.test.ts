import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Results } from '../../bench/results.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['end-to-end', 'one-by-one', 'slots', 'ledger', 'redis', 'idle', 'start', 'restart', 'large-list', 'large-redis'];

test('the benchmark measures each of its parts, its peers too, and leaves nothing behind', async (t) => {
  t.timeout(300_000);
  const results = join(temporaryDir(t), 'results.json');
  const env = { ...process.env, SCALE: 'tiny', ROUNDS: '1', ONLY: '', RESULTS: results };
  const child = spawn(process.execPath, ['bench/main.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGTERM'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [exit] = await once(child, 'close');
  t.is(exit, 0, said);
  const { parts } = JSON.parse(readFileSync(results, 'utf8')) as Results;
  t.deepEqual(Object.keys(parts), PARTS);
  for (const [name, { rounds }] of Object.entries(parts)) {
    t.is(rounds.length, 1, name);
    for (const { load, subject, figures } of rounds.flat()) {
      const values = Object.values(figures);
      t.true(
        values.length > 0 && values.every((value) => Number.isFinite(value) && value >= 0),
        `${load}: ${subject} ${JSON.stringify(figures)}`,
      );
    }
  }
  for (const name of ['end-to-end', 'one-by-one']) {
    t.deepEqual(
      parts[name]?.rounds.flat().map(({ subject }) => subject),
      ['rollout', 'bare', 'bullmq'],
    );
  }
  t.regex(said, /^\| what \| figure \| Rollout \| bare path \| BullMQ 5 /m);
});

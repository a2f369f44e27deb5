import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { killTree } from './process-table.ts';

const LAST_WORDS_BYTES = 3_000;

/**
 * A folder of the test's own. At its end every process that names the folder in its arguments is killed, and the folder is removed
 * (ROLLOUT_TEST_KEEP=1 keeps it, and says where).
 */
export function scratch(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'rollout-e2e-'));
  t.teardown(async () => {
    await killTree(dir);
    if (!t.passed) process.stderr.write(`${t.title}: what its processes said last\n${lastWords(dir)}\n`);
    if (process.env['ROLLOUT_TEST_KEEP'] === '1') process.stderr.write(`kept ${dir}: ${t.title}\n`);
    else rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
}

/** What the processes of a failed test said last, for whoever has to find out why. */
function lastWords(dir: string): string {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.log') || name.endsWith('events.ndjson'),
  );
  return names.map((name) => `--- ${name}\n${readFileSync(join(dir, name), 'utf8').slice(-LAST_WORDS_BYTES)}`).join('\n');
}

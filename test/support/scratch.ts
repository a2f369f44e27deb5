import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { killTree } from './process-table.ts';

/**
 * A folder of the test's own. At its end every process that names the folder in its arguments is killed, and the folder is removed
 * (ROLLOUT_TEST_KEEP=1 keeps it, and says where).
 */
export function scratch(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'rollout-e2e-'));
  t.teardown(async () => {
    await killTree(dir);
    if (process.env['ROLLOUT_TEST_KEEP'] === '1') process.stderr.write(`kept ${dir}: ${t.title}\n`);
    else rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A directory of the test's own, removed at its end; for tests that start no processes (those use `scratch`). */
export function temporaryDir(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'rollout-test-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

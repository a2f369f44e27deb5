/** Loaded into the processes of a run by NODE_OPTIONS: writes down what their memory is made of when it was most. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { memoryFile, parseMappedBytes } from './memory.ts';

const EVERY_MS = 250;

let most = 0;

function look(dir: string): void {
  const { rss, heapTotal, external, arrayBuffers } = process.memoryUsage();
  if (rss <= most) return;
  most = rss;
  const mapped = parseMappedBytes(readFileSync('/proc/self/status', 'utf8'));
  writeFileSync(join(dir, memoryFile(process.pid)), JSON.stringify({ rss, heapTotal, external, arrayBuffers, mapped }));
}

const dir = process.env['ROLLOUT_BENCH_MEMORY'];
if (isMainThread && dir !== undefined) {
  look(dir);
  setInterval(() => look(dir), EVERY_MS).unref();
}

/**
 * Loaded before a process's own program (`NODE_OPTIONS=--import=<this file>`): SIGUSR2 blocks its main loop for five seconds, as
 * work does that never gives way. Says so on stderr.
 */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const BLOCK_MS = 5_000;

if (isMainThread) {
  process.on('SIGUSR2', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
    writeSync(2, `the main loop was blocked for ${BLOCK_MS} ms\n`);
  });
}

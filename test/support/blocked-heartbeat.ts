import { join } from 'node:path';
import process from 'node:process';
import { systemClock } from '../../runtime/base/clock.ts';
import { issueCertificate, readRunId } from '../../runtime/tls/ca.ts';
import { startHeartbeat } from '../../runtime/worker/heartbeat/heartbeat.ts';

/** A process that starts a worker's heartbeat and then blocks its main loop: `blocked-heart.ts <dir> <coordinator> <interval ms> <block ms>`. */
const [dir = '', coordinator = '', intervalMs = '', blockMs = ''] = process.argv.slice(2);
const tlsDir = join(dir, 'tls');

const heartbeat = startHeartbeat(
  {
    workerId: 'w1',
    bootNonce: 'boot',
    runId: await readRunId(tlsDir),
    tls: await issueCertificate(tlsDir, { role: 'worker', workerId: 'w1' }),
    coordinators: [coordinator],
    concurrency: 1,
    node: '',
    pid: process.pid,
    heartbeatIntervalMs: Number(intervalMs),
    transport: 'stream',
    maxLoopBlockMs: 60_000,
    highestEpoch: 0,
    logLevel: 'silent',
  },
  systemClock,
  {
    onBeat: () => onFirstBeat(),
    onFailure: (error) => {
      throw error;
    },
  },
);

let isBlocked = false;
function onFirstBeat(): void {
  if (isBlocked) return;
  isBlocked = true;
  heartbeat.say('ready', '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockMs));
  heartbeat.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

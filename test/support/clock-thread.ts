import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../runtime/base/clock.ts';

parentPort?.on('message', () => parentPort?.postMessage(systemClock.monotonicMs()));

import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { killSelf } from './kill-self.ts';
import { ASLEEP, type Watch } from './watchdog-watch.ts';

/** The thread of the watchdog: it sleeps until it is armed, gives the process its time, and kills it. */

const STDERR_FD = 2;
/** A stderr that nobody reads must not save the process. */
const LAST_WORDS_MS = 100;

const { cell, deadlineMs, lastWords } = workerData as Watch;
while (Atomics.load(cell, 0) === ASLEEP) Atomics.wait(cell, 0, ASLEEP);
// Nothing but the time, or the end of the process, ends this wait. A thread that came up late has less of it.
Atomics.wait(cell, 0, Atomics.load(cell, 0), Math.max(0, (deadlineMs[0] ?? 0) - systemClock.monotonicMs()));
// Not process.stderr, which is the main thread's.
write(STDERR_FD, `${lastWords}\n`, killSelf);
systemClock.after(LAST_WORDS_MS, killSelf);

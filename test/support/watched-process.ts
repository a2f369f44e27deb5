/**
 * A process with a watchdog: `watched-process.ts <limit ms> <how it hangs> [<a fifo that nobody writes>]`. Says when it is armed, on
 * the clock that all processes share, and then does as told: `spin`, `wait` (for ever), `exit` (with 3, at once), or `stuck-exit` (with 3, while a call to the system hangs).
 */
import { open, writeSync } from 'node:fs';
import { systemClock } from '../../runtime/base/clock.ts';
import { startWatchdog } from '../../runtime/base/process/watchdog.ts';

const [limitMs = '', how = '', fifo = ''] = process.argv.slice(2);
const watchdog = startWatchdog({ limitMs: Number(limitMs), lastWords: 'the watchdog bites' });
if (how === 'stuck-exit') open(fifo, 'r', () => undefined);
// The thread needs a moment to start, and must not need the main loop for it; the rest happens long after.
await systemClock.sleep(how === 'spin' ? 0 : 200);
watchdog.arm();
watchdog.arm();
writeSync(1, `${process.hrtime.bigint()}\n`);
if (how === 'spin') for (const cell = new Int32Array(1); ; ) cell.fill(0);
if (how === 'wait') await systemClock.sleep(60_000);
process.exit(3);

/** A process that says fifty things as the processes of a run do, and then ends for good: `fatal-process.ts <throw|exit|reject>`. */
import { systemClock } from '../../runtime/base/clock.ts';
import { createEvents } from '../../runtime/base/events.ts';
import { createLog } from '../../runtime/base/log.ts';
import { EVENT_LEVELS } from '../../runtime/model/event.ts';

const log = createLog('coordinator', 'info');
const events = createEvents({ to: 'stdout', runId: 'r', clock: systemClock, log, levels: EVENT_LEVELS });
for (let epoch = 0; epoch < 50; epoch += 1) {
  events.emit({ kind: 'lease_acquired', epoch });
  log.info({ epoch }, 'a line among others');
}
events.emit({ kind: 'coordinator_fenced', epoch: 50, byEpoch: 51 });
log.fatal('the last line');
const how = process.argv[2];
if (how === 'exit') process.exit(4);
if (how === 'reject') await Promise.reject(new Error('fatal'));
queueMicrotask(() => {
  throw new Error('fatal');
});

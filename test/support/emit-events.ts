import { systemClock } from '../../runtime/base/clock.ts';
import { createEvents } from '../../runtime/base/events.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { EVENT_LEVELS } from '../../runtime/model/event.ts';

/** Emits so many events on stdout, as fast as it can; touching process.stdout first makes a pipe non-blocking. */
process.stdout.write('');
const events = createEvents({ to: 'stdout', runId: 'r', clock: systemClock, log: silentLog, levels: EVENT_LEVELS });
const count = Number(process.argv[2]);
for (let epoch = 0; epoch < count; epoch += 1) {
  events.emit({ kind: 'lease_acquired', epoch });
  if (epoch % 100 === 0) await systemClock.sleep(1);
}
await events.close();

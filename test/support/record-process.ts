/**
 * What a coordinator does of an outcome, alone in a process that kills itself at a named point of it:
 * `node record-process.ts <dir> <items> <batch> <point> <nth> <afterMs>`. Without such a point it goes on until every item is
 * recorded. Says on stdout, one JSON line each, which records were accepted and at which point it dies.
 */

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { assert } from '../../runtime/base/assert.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { isProcessDead, ownProcess } from '../../runtime/base/process/process-identity.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { winLease } from '../../runtime/lease/candidate.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import type { ItemRef } from '../../runtime/model/row.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { claim, settle } from './commit-parts.ts';
import { createdLog, openedPlace } from './created-log.ts';
import { keepCompiled } from './keep-compiled.ts';
import { grantedItems } from './ledger-start.ts';
import type { RecordPoint } from './record-points.ts';

const [dir = '', items = '', batch = '', point = '', nth = '', afterMs = ''] = process.argv.slice(2);
const ITEMS = Number(items);
const WORKER = 'w1';

// Straight to the system: what this process says is out, even if it is killed at the next instruction.
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

let left = Number(nth);

/** Dies here, or so long after what follows has begun, when the point has been reached for the nth time. */
function reach(reached: RecordPoint): void {
  if (reached !== point || --left > 0) return;
  const die = (): boolean => process.kill(process.pid, 'SIGKILL');
  say({ kind: 'dies', point });
  if (reached.endsWith('ing')) setTimeout(die, Number(afterMs));
  else die();
}

keepCompiled();
const ledger = await openEmbeddedLedger({ dir: join(dir, 'store'), clock: systemClock });
reach('winning');
const leaseHolder = await winLease({
  ledger,
  clock: systemClock,
  holder: systemRandom.hex(16),
  process: await ownProcess(),
  address: 'here:1',
  floor: async () => -1,
  onSeen: async () => undefined,
  ttlMs: 60_000,
  renewIntervalMs: 20_000,
  isDead: isProcessDead,
  signal: new AbortController().signal,
  onPassive: () => undefined,
});
const { epoch } = leaseHolder.lease();
reach('won');
const place = directoryPlace(join(dir, 'segments'));
const identity = await openedPlace(place, epoch);
await ledger.bind(epoch, identity);
reach('bound');
const log = await createdLog(place, epoch, identity);
reach('opened');
await ledger.register(leaseHolder.nextStamp(), WORKER, { bootNonce: 'n', pid: 1, concurrency: 1, registeredAtMs: 0 });
const scan = await ledger.scan(epoch);
assert(scan.kind === 'scanned', 'nobody else is there');
let { cursor } = scan.progress;
// What the predecessor had handed out, its worker still holds: it is recorded under the claim's own epoch (L10).
let held: readonly ItemRef[] = scan.running.map(({ index, row }) => ({ index, attempt: row.attempt, claimEpoch: row.claimEpoch }));

while (held.length > 0 || cursor < ITEMS) {
  if (held.length === 0) held = await claimNext();
  await record(held);
  held = [];
}
const finished = await ledger.finish(leaseHolder.nextStamp(), ITEMS);
say({ kind: finished.kind });
await log.close();
await leaseHolder.resign();
await ledger.dispose();

async function claimNext(): Promise<readonly ItemRef[]> {
  reach('claiming');
  const reply = await claim(ledger, epoch, WORKER, [{ cursor, count: Math.min(Number(batch), ITEMS - cursor) }]);
  assert(reply.kind === 'claimed', 'nobody else is there');
  cursor = reply.cursor;
  reach('claimed');
  return grantedItems(reply).map(({ index, attempt }) => ({ index, attempt, claimEpoch: epoch }));
}

async function record(refs: readonly ItemRef[]): Promise<void> {
  reach('appending');
  await log.append(refs.map(({ index, attempt }) => ({ index, attempt, kind: 'result', line: Buffer.from(`${index} of ${epoch}`) })));
  reach('appended');
  reach('settling');
  const reply = await settle(
    ledger,
    epoch,
    WORKER,
    refs.map((ref) => ({ ...ref, isResult: true })),
  );
  assert(reply.kind === 'settled' && reply.verdicts.every((verdict) => verdict === 'accepted'), 'each is accepted');
  say({ kind: 'recorded', epoch, indexes: refs.map(({ index }) => index) });
  reach('settled');
}

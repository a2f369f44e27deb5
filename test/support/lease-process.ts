/**
 * A candidate as a process of its own: `node lease-process.ts <dir> <name> <ttlMs>`. Says on stdout what happens, one
 * JSON line each, and does what it reads on stdin: `resign`, `work` (settles without end), `fill` (claims without end), or
 * `stop-inside` (stops in the middle of a transaction, so that it keeps the writer's lock).
 */

import { createInterface } from 'node:readline';
import { onAbort } from '../../runtime/base/abort.ts';
import { assert } from '../../runtime/base/assert.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { isProcessDead, ownProcess } from '../../runtime/base/process/process-identity.ts';
import { winLease } from '../../runtime/lease/candidate.ts';
import type { LeaseHolder } from '../../runtime/lease/contract.ts';
import type { Fenced } from '../../runtime/ledger/contract.ts';
import { openDatabase } from '../../runtime/ledger/embedded/database.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { claim, handBack, settle } from './commit-parts.ts';
import { keepCompiled } from './keep-compiled.ts';
import { grantedItems } from './ledger-start.ts';

const [dir = '', name = '', ttl = ''] = process.argv.slice(2);
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

// Beyond `ulimit -f` a write then fails, as on a full disk, instead of ending the process.
process.on('SIGXFSZ', () => undefined);
keepCompiled();
let killedPid: number | null = null;
const onKilled = (pid: number): void => {
  killedPid = pid;
};
const ledger = await openEmbeddedLedger({ dir, clock: systemClock, onKilled });
say({ kind: 'candidate', pid: process.pid });
const leaseHolder: LeaseHolder = await winLease({
  ledger,
  clock: systemClock,
  holder: `${name}-${process.pid}`,
  process: await ownProcess(),
  address: `${name}:1`,
  floor: async () => -1,
  onSeen: async () => undefined,
  ttlMs: Number(ttl),
  renewIntervalMs: Number(ttl) / 3,
  isDead: isProcessDead,
  signal: new AbortController().signal,
  onPassive: (lease) => say({ kind: 'passive', holder: lease.address }),
});
say({ kind: 'won', epoch: leaseHolder.lease().epoch, won: { ...leaseHolder.won, killedPid } });
say({ kind: 'scan', reply: await ledger.scan(leaseHolder.lease().epoch) });
onAbort(leaseHolder.fenced, () => say({ kind: 'lost', epoch: (leaseHolder.fenced.reason as Fenced).epoch }));

createInterface({ input: process.stdin }).on('line', (line) => {
  const act = { resign, work, fill, 'stop-inside': stopInside }[line];
  assert(act !== undefined, `unknown command ${line}`);
  act().catch(fail);
});

function fail(error: unknown): void {
  say({ kind: 'error', code: error instanceof RolloutError ? error.code : null, error: String(error) });
}

async function resign(): Promise<void> {
  await leaseHolder.resign();
  say({ kind: 'resigned' });
}

async function prepare(): Promise<number> {
  const { epoch } = leaseHolder.lease();
  await ledger.bind(epoch, { placeId: 'place', runId: 'run' });
  await ledger.register(leaseHolder.nextStamp(), 'w1', { bootNonce: 'n', pid: 1, concurrency: 1, registeredAtMs: 0 });
  return epoch;
}

async function fill(): Promise<void> {
  const epoch = await prepare();
  for (let cursor = 0; ; cursor += 500) {
    const reply = await claim(ledger, epoch, 'w1', [{ cursor, count: 500 }]);
    assert(reply.kind === 'claimed' && reply.granted[0]?.count === 500, 'all are granted');
    // A range takes little room; an item that was handed back has a row of its own.
    const row = { worker: 'w1', attempt: 1, claimEpoch: epoch };
    const returned = await handBack(
      ledger,
      epoch,
      grantedItems(reply).map(({ index }) => ({ index, row, restores: 0, reason: 'lost', delayMs: 0 })),
    );
    assert(returned.kind === 'returned', 'all are handed back');
    say({ kind: 'filled', cursor: reply.cursor });
  }
}

async function work(): Promise<void> {
  const epoch = await prepare();
  for (let cursor = (await ledger.progress()).cursor; ; cursor += 8) {
    const reply = await claim(ledger, epoch, 'w1', [{ cursor, count: 8 }]);
    if (reply.kind !== 'claimed') return void say({ kind: 'refused', by: reply.kind });
    const outcomes = grantedItems(reply).map((item) => ({ ...item, claimEpoch: epoch, isResult: true }));
    const settled = await settle(ledger, epoch, 'w1', outcomes);
    if (settled.kind !== 'settled') return void say({ kind: 'refused', by: settled.kind });
    say({ kind: 'settled', indexes: outcomes.filter((_, at) => settled.verdicts[at] === 'accepted').map((outcome) => outcome.index) });
  }
}

/** The same process may open the file again: lmdb hands out the environment that is open already. */
async function stopInside(): Promise<void> {
  await openDatabase(dir, 'write').transaction(() => {
    say({ kind: 'stopping' });
    process.kill(process.pid, 'SIGSTOP');
  });
}

import { mkdir } from 'node:fs/promises';
import test from 'ava';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { bootDisk } from '../../../../runtime/coordinator/boot/boot-disk.ts';
import { type BootDisk, epochFloor, type RecoverOptions, recover } from '../../../../runtime/coordinator/boot/recover.ts';
import { winLease } from '../../../../runtime/lease/candidate.ts';
import type { LeaseHolder } from '../../../../runtime/lease/contract.ts';
import type { Ledger } from '../../../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import type { RunEvent } from '../../../../runtime/model/event.ts';
import type { ResultsPlace } from '../../../../runtime/results/place/contract.ts';
import { directoryPlace } from '../../../../runtime/results/place/directory.ts';
import { raiseEpochMark, readEpochMark } from '../../../../runtime/run-dir/epoch-mark.ts';
import { statePaths } from '../../../../runtime/run-dir/paths.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const PROCESS = { bootId: 'b', pid: 1, startTime: '1', uid: 0 };
const clock = new ManualClock();

async function win(ledger: Ledger, floor: number): Promise<LeaseHolder> {
  return winLease({
    ledger,
    clock,
    holder: seededRandom(1).hex(8),
    process: PROCESS,
    address: 'a:1',
    floor: async () => floor,
    onSeen: async () => undefined,
    ttlMs: 5_000,
    renewIntervalMs: 1_000,
    isDead: async () => false,
    signal: new AbortController().signal,
    onPassive: () => undefined,
  });
}

/** What a successor does while the one that has just won is stopped. */
async function succeed(ledger: Ledger, mark: string): Promise<void> {
  const { lease: expected } = await ledger.readLease();
  const rival = { holder: 'successor', process: PROCESS, address: 'b:1', grounds: 'watched', ttlMs: 5_000, floor: -1 } as const;
  await ledger.acquire({ ...rival, expected });
  await raiseEpochMark(mark, 1);
}

function optionsOf(dir: string, ledger: Ledger, events: RunEvent[], leaseHolder: LeaseHolder): RecoverOptions {
  return {
    ledger,
    disk: diskOf(dir),
    events: { emit: (event) => void events.push(event), close: async () => undefined },
    isResuming: false,
    isRerunning: false,
    clock,
    random: seededRandom(1),
    killedPid: () => null,
    leaseHolder,
  };
}

function diskOf(dir: string): BootDisk {
  const paths = statePaths(dir);
  const place = directoryPlace(paths.segmentsDir);
  return bootDisk({ paths, runId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', place });
}

test('L24: a coordinator that has booted holds its epoch, marked, and its segment, open', async (t) => {
  const dir = temporaryDir(t);
  await mkdir(statePaths(dir).segmentsDir, { recursive: true });
  const ledger = createMemoryLedger();
  const events: RunEvent[] = [];
  const leaseHolder = await win(ledger, await epochFloor(diskOf(dir)));
  const recovered = await recover(optionsOf(dir, ledger, events, leaseHolder));
  t.deepEqual([recovered.log.epoch, await readEpochMark(statePaths(dir).epochMark)], [0, 0]);
  t.deepEqual(events, [{ kind: 'lease_acquired', epoch: 0 }]);
  await recovered.log.close();
  recovered.leaseHolder.stop();
});

test('L3, L5: one that was stopped as soon as it had won lowers no mark, and its holder knows that it is fenced', async (t) => {
  const dir = temporaryDir(t);
  await mkdir(statePaths(dir).segmentsDir, { recursive: true });
  const ledger = createMemoryLedger();
  const leaseHolder = await win(ledger, await epochFloor(diskOf(dir)));
  leaseHolder.stop();
  await succeed(ledger, statePaths(dir).epochMark);
  await t.throwsAsync(recover(optionsOf(dir, ledger, [], leaseHolder)), { code: 'FENCED' });
  t.is(await readEpochMark(statePaths(dir).epochMark), 1);
  t.deepEqual([leaseHolder.lease().epoch, leaseHolder.fenced.reason], [0, { kind: 'fenced', epoch: 1 }]);
});

test('L3: results that lie beside the ledger are not asked for its epoch, so that a store that is away does not hold a candidate up', async (t) => {
  const paths = statePaths(temporaryDir(t));
  const away: ResultsPlace = { ...directoryPlace(paths.segmentsDir), epochs: () => new Promise(() => undefined) };
  t.is(await epochFloor(bootDisk({ paths, runId: 'run', place: away, isBesideLedger: true })), -1);
});

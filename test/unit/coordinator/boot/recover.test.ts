import { mkdir, readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { bootDisk } from '../../../../runtime/coordinator/boot/boot-disk.ts';
import { type RecoverOptions, recover } from '../../../../runtime/coordinator/boot/recover.ts';
import { winLease } from '../../../../runtime/lease/candidate.ts';
import type { LeaseHolder } from '../../../../runtime/lease/contract.ts';
import type { Ledger } from '../../../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import type { RunEvent } from '../../../../runtime/model/event.ts';
import { stateFiles } from '../../../../runtime/run-dir/state-files.ts';
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
    floor,
    ttlMs: 5_000,
    renewIntervalMs: 1_000,
    isDead: async () => false,
    signal: new AbortController().signal,
    onPassive: () => undefined,
  });
}

/** What a successor does while the one that has just won is stopped. */
async function succeed(ledger: Ledger, markPath: string): Promise<void> {
  await ledger.acquire({ holder: 'successor', process: PROCESS, address: 'b:1', expected: await ledger.readLease(), floor: -1 });
  await writeFile(markPath, '1\n');
}

function optionsOf(
  dir: string,
  ledger: Ledger,
  events: RunEvent[],
  winning: RecoverOptions['win'],
  onFenced: RecoverOptions['onFenced'] = () => undefined,
): RecoverOptions {
  return {
    ledger,
    disk: bootDisk(stateFiles(dir), '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    clock,
    events: { emit: (event) => void events.push(event), close: async () => undefined },
    isResuming: false,
    isRerunning: false,
    onFenced,
    win: winning,
  };
}

test('L24: a coordinator that has booted holds its epoch, marked, and its segment, open', async (t) => {
  const dir = temporaryDir(t);
  await mkdir(stateFiles(dir).segments, { recursive: true });
  const ledger = createMemoryLedger();
  const events: RunEvent[] = [];
  const recovered = await recover(optionsOf(dir, ledger, events, (floor) => win(ledger, floor)));
  t.deepEqual([recovered.log.epoch, await readFile(stateFiles(dir).epochMark, 'utf8')], [0, '0\n']);
  t.deepEqual(events, [{ kind: 'lease_acquired', epoch: 0 }]);
  await recovered.log.close();
  recovered.leaseHolder.stop();
});

test('L3, L5: one that was stopped as soon as it had won lowers no mark, and says once that it is fenced', async (t) => {
  const dir = temporaryDir(t);
  await mkdir(stateFiles(dir).segments, { recursive: true });
  const ledger = createMemoryLedger();
  const fenced: (readonly [number, number])[] = [];
  const succeeded = async (floor: number): Promise<LeaseHolder> => {
    const leaseHolder = await win(ledger, floor);
    leaseHolder.stop();
    await succeed(ledger, stateFiles(dir).epochMark);
    return leaseHolder;
  };
  const options = optionsOf(dir, ledger, [], succeeded, (epoch, byEpoch) => void fenced.push([epoch, byEpoch]));
  await t.throwsAsync(recover(options), { code: 'FENCED' });
  t.is(await readFile(stateFiles(dir).epochMark, 'utf8'), '1\n');
  t.deepEqual(fenced, [[0, 1]]);
});

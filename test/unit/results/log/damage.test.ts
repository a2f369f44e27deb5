import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Frame, LedgerReads } from '../../../../runtime/results/log/contract.ts';
import { type Damage, inspectLog } from '../../../../runtime/results/log/damage.ts';
import { claim } from '../../../support/commit-parts.ts';
import { RecordedRun } from '../../../support/recorded-run.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const CLAIMED_FIRST = 4;

function frame(index: number, attempt = 1): Frame {
  return { index, attempt, kind: 'result', line: Buffer.from(`{"n":${index}}`) };
}

async function liveRun(t: ExecutionContext): Promise<{ readonly run: RecordedRun; readonly dir: string }> {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, CLAIMED_FIRST);
  t.teardown(() => run.close());
  return { run, dir };
}

/** The ledger of a run in which items are claimed and recorded before the `nth` read of it is answered, or after. */
function moving(run: RecordedRun, nth: number, isBefore: boolean): LedgerReads {
  let reads = 0;
  const around = async <T>(read: () => Promise<T>): Promise<T> => {
    reads += 1;
    const isNow = reads === nth;
    if (isNow && isBefore) await goOn(run);
    const answer = await read();
    if (isNow && !isBefore) await goOn(run);
    return answer;
  };
  return {
    progress: () => around(() => run.ledger.progress()),
    bits: (from, count) => around(() => run.ledger.bits(from, count)),
    tallies: () => around(() => run.ledger.tallies()),
  };
}

async function goOn(run: RecordedRun): Promise<void> {
  await claim(run.ledger, run.epoch, 'w1', [{ cursor: CLAIMED_FIRST, count: 2 }]);
  await run.record([frame(2), frame(CLAIMED_FIRST), frame(CLAIMED_FIRST + 1)]);
}

function inspect(run: RecordedRun, dir: string, ledger: LedgerReads = run.ledger): Promise<Damage> {
  return inspectLog({ ledger, place: run.place, tempDir: join(dir, 'temp') }, async (_, damage) => damage);
}

test('a run that goes on between any two reads of its ledger is not told as damaged', async (t) => {
  for (const isBefore of [true, false]) {
    for (const nth of [1, 2, 3, 4]) {
      const { run, dir } = await liveRun(t);
      await run.record([frame(0), frame(1)]);
      const damage = await inspect(run, dir, moving(run, nth, isBefore));
      t.deepEqual([damage.lost, damage.indexes, damage.segments], [0, [], []], `read ${nth}, ${isBefore ? 'before' : 'after'}`);
    }
  }
});

test('what the ledger counts is never more than what was looked at, unless it is known to have changed', async (t) => {
  for (const isBefore of [true, false]) {
    for (const nth of [1, 2, 3, 4]) {
      const { run, dir } = await liveRun(t);
      await run.record([frame(0), frame(1)]);
      const options = { ledger: moving(run, nth, isBefore), place: run.place, tempDir: join(dir, 'temp') };
      await inspectLog(options, async (locator) => {
        const counted = locator.tallies.reduce((sum, { count }) => sum + count, 0);
        t.true(counted <= locator.done + locator.failed, `read ${nth}`);
        if (locator.unsteady.size === 0) t.is(counted, locator.done + locator.failed, `read ${nth}`);
      });
    }
  }
});

test('L39: an outcome in the log that is not the accepted one is damage', async (t) => {
  const { run, dir } = await liveRun(t);
  await run.append([frame(0), frame(1, 2)]);
  await run.settle([frame(0), frame(1)]);
  t.deepEqual((await inspect(run, dir)).indexes, [0, 1]);
});

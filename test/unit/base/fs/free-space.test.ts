import { join } from 'node:path';
import test from 'ava';
import { formatSize } from '../../../../runtime/base/config/quantity.ts';
import { waitForSpace } from '../../../../runtime/base/fs/free-space.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

/** No disk has so much. */
const MORE_THAN_THERE_IS = Number.MAX_SAFE_INTEGER;

interface Told {
  readonly shortages: string[];
  enough: number;
}

function waiting(
  dir: string,
  bytes: number,
  clock: ManualClock,
  signal: AbortSignal,
): { readonly told: Told; readonly done: Promise<boolean> } {
  const told: Told = { shortages: [], enough: 0 };
  const done = waitForSpace({
    dir,
    bytes,
    clock,
    signal,
    onShort: (shortage) => void told.shortages.push(shortage),
    onEnough: () => {
      told.enough += 1;
    },
  });
  return { told, done };
}

test('where there is room nothing is told, also for a directory that is yet to be made', async (t) => {
  const { told, done } = waiting(join(temporaryDir(t), 'not', 'there'), 1, new ManualClock(), new AbortController().signal);
  t.false(await done);
  t.deepEqual(told, { shortages: [], enough: 0 });
});

test('L18: a shortage is told at once and then with growing gaps, and the wait ends when the signal aborts', async (t) => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const dir = temporaryDir(t);
  const { told, done } = waiting(dir, MORE_THAN_THERE_IS, clock, stop.signal);
  for (let second = 0; second < 60; second += 1) {
    // The disk is asked by the real system, which takes more turns than the clock knows of.
    for (let turn = 0; turn < 20 && told.shortages.length === 0; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  stop.abort();
  t.true(await done);
  t.true(told.shortages.length >= 2 && told.shortages.length <= 5, `${told.shortages.length} times in a minute`);
  t.true(told.shortages.every((shortage) => shortage.includes(dir) && shortage.includes(`${formatSize(MORE_THAN_THERE_IS)} are wanted`)));
  t.is(told.enough, 0);
});

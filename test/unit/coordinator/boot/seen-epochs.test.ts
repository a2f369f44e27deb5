import test from 'ava';
import { createLog } from '../../../../runtime/base/log.ts';
import { SeenEpochs } from '../../../../runtime/coordinator/boot/seen-epochs.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** What was written, and a disk that refuses while `problem` is set. */
class Marks {
  readonly tried: number[] = [];
  readonly kept: number[] = [];
  problem: string | null = null;

  readonly raiseEpochMark = async (epoch: number): Promise<void> => {
    this.tried.push(epoch);
    if (this.problem !== null) throw Object.assign(new Error('refused'), { code: this.problem });
    this.kept.push(epoch);
  };
}

function setting(): { readonly marks: Marks; readonly clock: ManualClock; readonly said: string[]; readonly seen: SeenEpochs } {
  const [marks, clock, said] = [new Marks(), new ManualClock(), [] as string[]];
  const note = (_: unknown, text: string): number => said.push(text);
  const log = Object.assign(createLog('test', 'silent'), { error: note, info: note });
  return { marks, clock, said, seen: new SeenEpochs({ raiseEpochMark: marks.raiseEpochMark, clock, log }) };
}

test('L3: an epoch is kept when it is seen first; a thousand looks at the same row, or at one of before, write nothing', async (t) => {
  const { marks, seen } = setting();
  for (let look = 0; look < 1_000; look += 1) await seen.keep(3);
  await seen.keep(2);
  t.deepEqual(marks.tried, [3]);
  await seen.keep(5);
  t.deepEqual(marks.tried, [3, 5]);
});

test('L3: where the disk is full the candidate waits on; that is said once, and it is tried again until there is space', async (t) => {
  const { marks, clock, said, seen } = setting();
  marks.problem = 'ENOSPC';
  for (let look = 0; look < 20; look += 1) {
    await seen.keep(4);
    await clock.advance(1_000);
  }
  t.true(marks.tried.length >= 2 && marks.tried.length <= 5, String(marks.tried.length));
  t.is(said.length, 1);
  t.regex(said[0] ?? '', /no space.*free some/);
  marks.problem = null;
  await clock.advance(10_000);
  await seen.keep(4);
  await seen.keep(4);
  t.deepEqual(marks.kept, [4]);
  t.is(said.length, 2);
});

test('a disk that fails otherwise ends the candidate', async (t) => {
  const { marks, seen } = setting();
  marks.problem = 'EIO';
  await t.throwsAsync(seen.keep(4), { code: 'EIO' });
});

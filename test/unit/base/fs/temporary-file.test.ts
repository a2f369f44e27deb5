import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { longestTemporaryName, removeLeftTemporaries, temporaryName } from '../../../../runtime/base/fs/temporary-file.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('temporary files of dead processes are removed; those of living ones, and all other files, stay', async (t) => {
  const dir = temporaryDir(t);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const mine = await temporaryName('input.');
  const others = [mine, mine.replace('input.', 'other.').replace(`-${process.pid}-`, `-${pid}-`), 'input.jsonl', `input.${pid}.tmp`];
  const dead = [mine.replace(`-${process.pid}-`, `-${pid}-`), await longestTemporaryName('input.')];
  for (const name of [...others, ...dead]) writeFileSync(join(dir, name), '');
  await removeLeftTemporaries(dir, 'input.');
  t.deepEqual(readdirSync(dir).sort(), [...others].sort());
});

test('of what a process of another container or host may be writing only that is removed which has not changed for a day', async (t) => {
  const dir = temporaryDir(t);
  const nowMs = 1_700_000_000_000;
  const elsewhere = (pid: number, place: string): string => `scratch-${place}-${pid}-0123abcd.tmp`;
  // The pid of a living process here and that of none: neither says anything about a process elsewhere.
  const [fresh, gone, old] = [elsewhere(process.pid, '00000000'), elsewhere(4_194_305, '00000000'), elsewhere(process.pid, '00000001')];
  for (const [name, hours] of [
    [fresh, 1],
    [gone, 23],
    [old, 25],
  ] as const) {
    mkdirSync(join(dir, name));
    utimesSync(join(dir, name), (nowMs - hours * 3_600_000) / 1_000, (nowMs - hours * 3_600_000) / 1_000);
  }
  await removeLeftTemporaries(dir, 'scratch-', nowMs);
  t.deepEqual(readdirSync(dir).sort(), [fresh, gone].sort());
});

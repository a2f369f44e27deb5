import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RolloutError } from '../../../runtime/base/errors.ts';
import { type Disk, systemDisk } from '../../../runtime/base/fs/disk.ts';
import { raiseEpochMark, readEpochMark } from '../../../runtime/run-dir/epoch-mark.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('L3: the mark is the highest epoch that it was raised to, -1 before; a lower one changes nothing', async (t) => {
  const dir = join(temporaryDir(t), 'epochs');
  t.is(await readEpochMark(dir), -1);
  for (const [raised, marked] of [
    [0, 0],
    [7, 7],
    [3, 7],
    [10, 10],
  ] as const) {
    await raiseEpochMark(dir, raised);
    t.is(await readEpochMark(dir), marked);
  }
  t.deepEqual(readdirSync(dir).toSorted(), ['0', '10', '7']);
});

test('L3: of any number of processes that raise it at once none lowers it, also one that was stopped between its look and its write', async (t) => {
  const dir = join(temporaryDir(t), 'epochs');
  let goOn = (): void => undefined;
  const stopped: Disk = {
    ...systemDisk,
    open: async (...args) => {
      if (args[1] === 'wx') await new Promise<void>((resolve) => (goOn = resolve));
      return systemDisk.open(...args);
    },
  };
  const slow = raiseEpochMark(dir, 4, stopped);
  await Promise.all([5, 9, 2, 9].map((epoch) => raiseEpochMark(dir, epoch)));
  t.is(await readEpochMark(dir), 9);
  goOn();
  await slow;
  t.is(await readEpochMark(dir), 9);
});

test('L3: the mark and its folder are on disk when it is raised, also where another process has written it', async (t) => {
  const top = temporaryDir(t);
  const synced: string[] = [];
  const watched: Disk = {
    ...systemDisk,
    open: async (path, flags, mode) => {
      const file = await systemDisk.open(path, flags, mode);
      const sync = (): Promise<void> => {
        synced.push(path);
        return file.sync();
      };
      return {
        writeFile: (bytes) => file.writeFile(bytes),
        chmod: (bits) => file.chmod(bits),
        sync,
        close: () => file.close(),
      };
    },
  };
  const dir = join(top, 'epochs');
  await raiseEpochMark(dir, 1, watched);
  t.deepEqual(synced, [top, dir]);
  await raiseEpochMark(dir, 1, watched);
  t.deepEqual(synced, [top, dir, dir]);
  t.is(statSync(join(dir, '1')).size, 0);
});

test('what is no epoch counts for nothing; a mark that cannot be read or written is told by name', async (t) => {
  const dir = join(temporaryDir(t), 'epochs');
  mkdirSync(dir);
  for (const name of ['x', '-1', '1.5', '1e3', '9'.repeat(20)]) writeFileSync(join(dir, name), '');
  t.is(await readEpochMark(dir), -1);
  const file = join(dir, 'x');
  const read = await t.throwsAsync<RolloutError>(readEpochMark(file), { code: 'STATE_UNREADABLE' });
  t.true(read?.message.includes(file));
  const full: Disk = { ...systemDisk, open: () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })) };
  const write = await t.throwsAsync<RolloutError>(raiseEpochMark(dir, 1, full), { code: 'STORE_FAILED' });
  t.true(write?.message.includes(dir));
});

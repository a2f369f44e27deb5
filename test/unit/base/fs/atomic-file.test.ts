import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { createFileAtomic, makeDirectory, writeFileAtomic } from '../../../../runtime/base/fs/atomic-file.ts';
import { type Disk, systemDisk } from '../../../../runtime/base/fs/disk.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a written file has the contents and the mode that were asked for, and nothing is left beside it', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'key');
  await writeFileAtomic(path, 'old');
  await writeFileAtomic(path, new TextEncoder().encode('new'), 0o600);
  t.is(await readFile(path, 'utf8'), 'new');
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.deepEqual(await readdir(dir), ['key']);
});

test('a write that cannot succeed throws, leaves nothing behind and keeps what was there', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'absent', 'file');
  for (const write of [writeFileAtomic, createFileAtomic]) {
    const error = await t.throwsAsync(write(path, 'x'), { code: 'STORE_FAILED', instanceOf: RolloutError });
    t.true(error?.message.startsWith(`cannot write ${path} (ENOENT: `), error?.message);
  }
  t.deepEqual(await readdir(dir), []);
});

test('of many that create the same file at once exactly one wins, and its contents stand', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'ca.key.pem');
  const won = await Promise.all(Array.from({ length: 20 }, (_, i) => createFileAtomic(path, `writer ${i}`, 0o600)));
  t.is(won.filter(Boolean).length, 1);
  t.is(await readFile(path, 'utf8'), `writer ${won.indexOf(true)}`);
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.deepEqual(await readdir(dir), ['ca.key.pem']);
});

test('a new folder and those made above it are named on disk, and so is one that another process may have made just now', async (t) => {
  const dir = temporaryDir(t);
  const opened: string[] = [];
  const disk: Disk = {
    ...systemDisk,
    open: (path, flags) => {
      opened.push(path);
      return systemDisk.open(path, flags);
    },
  };
  await makeDirectory(join(dir, 'a', 'b', 'c'), disk);
  t.deepEqual(opened.splice(0), [join(dir, 'a', 'b'), join(dir, 'a'), dir]);
  await makeDirectory(join(dir, 'a', 'b', 'c'), disk);
  t.deepEqual(opened, [join(dir, 'a', 'b')]);
});

test('a disk that fails at any step of a write is told with the file and the cause', async (t) => {
  const path = join(temporaryDir(t), 'claimed.json');
  const failure = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  for (const step of ['open', 'rename'] as const) {
    const disk: Disk = { ...systemDisk, [step]: () => Promise.reject(failure) };
    const error = await t.throwsAsync(writeFileAtomic(path, 'x', undefined, disk), { code: 'STORE_FAILED' }, step);
    t.regex(error?.message ?? '', /cannot write \S+claimed\.json \(EIO: i\/o error\): the disk has failed/);
  }
  const bug: Disk = { ...systemDisk, rename: () => Promise.reject(new TypeError('a bug')) };
  await t.throwsAsync(writeFileAtomic(path, 'x', undefined, bug), { instanceOf: TypeError });
});

import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createDurable, syncedFile } from '../../../../runtime/base/fs/durable-file.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a durable file is made once, and each write goes to its end', async (t) => {
  const path = join(temporaryDir(t), 'file');
  const file = await createDurable(path);
  t.is((await file.write(Buffer.from('one'), 0)).bytesWritten, 3);
  t.is((await file.write(Buffer.from('and two'), 3)).bytesWritten, 4);
  t.is(readFileSync(path, 'utf8'), 'one two');
  await file.close();
  await t.throwsAsync(createDurable(path), { code: 'EEXIST' });
});

for (const failing of [null, 'write', 'datasync'] as const) {
  test(`where the system has no durable write, a write resolves after its sync (${failing ?? 'nothing'} fails)`, async (t) => {
    const path = join(temporaryDir(t), 'file');
    const handle = await open(path, 'wx');
    const calls: string[] = [];
    const call = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
      if (name === failing) throw Object.assign(new Error('EIO: of the test'), { code: 'EIO' });
      const done = await run();
      calls.push(name);
      return done;
    };
    const file = syncedFile({
      write: (async (bytes: Buffer, offset: number) => call('write', () => handle.write(bytes, offset))) as typeof handle.write,
      datasync: () => call('datasync', () => handle.datasync()),
      close: () => call('close', () => handle.close()),
    });
    const writing = file.write(Buffer.from('one'), 1);
    if (failing === null) t.is((await writing).bytesWritten, 2);
    else await t.throwsAsync(writing, { code: 'EIO' });
    const before = failing === 'datasync' ? ['write'] : [];
    t.deepEqual(calls, failing === null ? ['write', 'datasync'] : before);
    t.is(readFileSync(path, 'utf8'), failing === 'write' ? '' : 'ne');
    await file.close();
  });
}

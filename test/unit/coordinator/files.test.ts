import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RolloutError } from '../../../runtime/base/errors.ts';
import { readEpochMark, writeEpochMark } from '../../../runtime/coordinator/files.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('a mark that cannot be written is a failure of the store that names the file', async (t) => {
  const path = join(temporaryDir(t), 'missing', 'epoch');
  const error = await t.throwsAsync<RolloutError>(writeEpochMark(path, 1), { code: 'STORE_FAILED' });
  t.true(error?.message.includes(path));
});

test('a mark of the highest epoch that holds anything but a number, or nothing, is refused by name', async (t) => {
  const path = join(temporaryDir(t), 'epoch');
  t.is(await readEpochMark(path), -1);
  await writeEpochMark(path, 7);
  t.is(await readEpochMark(path), 7);
  for (const contents of ['', '\n', '-1', '1.5', '0x10', '1e3', '9'.repeat(20), 'x']) {
    writeFileSync(path, contents);
    const error = await t.throwsAsync<RolloutError>(readEpochMark(path), { code: 'STATE_UNREADABLE' }, contents);
    t.true(error?.message.includes(path));
  }
});

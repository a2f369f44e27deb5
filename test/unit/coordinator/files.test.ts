import { join } from 'node:path';
import test from 'ava';
import type { RolloutError } from '../../../runtime/base/errors.ts';
import { writeEpochMark } from '../../../runtime/coordinator/files.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('a mark that cannot be written is a failure of the store that names the file', async (t) => {
  const path = join(temporaryDir(t), 'missing', 'epoch');
  const error = await t.throwsAsync<RolloutError>(writeEpochMark(path, 1), { code: 'STORE_FAILED' });
  t.true(error?.message.includes(path));
});

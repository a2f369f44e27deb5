import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readTextIfThere } from '../../../../runtime/base/fs/text-file.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a file that is not there is null, and whatever else keeps it from being read is an error', async (t) => {
  const dir = temporaryDir(t);
  t.is(await readTextIfThere(join(dir, 'a')), null);
  writeFileSync(join(dir, 'a'), 'ä\n');
  t.is(await readTextIfThere(join(dir, 'a')), 'ä\n');
  await t.throwsAsync(readTextIfThere(dir), { code: 'STATE_UNREADABLE', message: /cannot read \S+ \(EISDIR: .*it is a directory/ });
});

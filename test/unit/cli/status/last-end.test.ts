import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { forgetEnd, noteEnd, readEndReason } from '../../../../runtime/cli/status/last-end.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('why the last command ended is known until a later coordinator has come, or the next command has begun', async (t) => {
  const path = join(temporaryDir(t), 'last-end.json');
  t.is(await readEndReason(path, 3), '');
  await noteEnd(path, { epoch: 3, reason: 'no item has ended' });
  t.is(await readEndReason(path, 3), 'no item has ended');
  t.is(await readEndReason(path, 4), '');
  await forgetEnd(path);
  t.is(await readEndReason(path, 3), '');
  await writeFile(path, '{"epoch"');
  t.is(await readEndReason(path, 3), '', 'a torn file says nothing');
});

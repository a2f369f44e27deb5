import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { ifThere } from '../../../../runtime/base/fs/if-there.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('only a file that is certainly absent is null; any other failure names the file and what to do', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'a');
  t.is(await ifThere(path, readFile(path, 'utf8')), null);
  await writeFile(path, 'text');
  t.is(await ifThere(path, readFile(path, 'utf8')), 'text');
  t.is(await ifThere(join(path, 'b'), readFile(join(path, 'b'), 'utf8')), null);
  const error = await t.throwsAsync(ifThere(dir, readFile(dir)), { code: 'STATE_UNREADABLE' });
  t.true(error.message.includes(dir));
  t.regex(error.message, /it is a directory: move it away/);
});

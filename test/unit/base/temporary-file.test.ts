import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { removeLeftTemporaries, temporaryName } from '../../../runtime/base/temporary-file.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('temporary files of dead processes are removed; those of living ones, and all other files, stay', async (t) => {
  const dir = temporaryDir(t);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const mine = temporaryName('input.');
  const others = [mine, `other.${pid}-0123abcd.tmp`, 'input.jsonl', `input.${pid}.tmp`];
  for (const name of [...others, `input.${pid}-0123abcd.tmp`]) writeFileSync(join(dir, name), '');
  await removeLeftTemporaries(dir, 'input.');
  t.deepEqual(readdirSync(dir).sort(), [...others].sort());
});

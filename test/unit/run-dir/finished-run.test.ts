import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readFinishedRun, writeFinishedRun } from '../../../runtime/run-dir/finished-run.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('how a run ended reads as it was written; where nothing of it is there, or the file is damaged, nothing is known', async (t) => {
  const path = join(temporaryDir(t), 'finished.json');
  t.is(await readFinishedRun(path), null);
  await writeFinishedRun(path, { epoch: 2, done: 7, failed: 1 });
  t.deepEqual(await readFinishedRun(path), { epoch: 2, done: 7, failed: 1 });
  for (const text of [
    '',
    '{"epoch":2',
    '[]',
    '{"epoch":2,"done":7}',
    '{"epoch":-1,"done":7,"failed":1}',
    '{"epoch":"2","done":7,"failed":1}',
  ]) {
    writeFileSync(path, text);
    t.is(await readFinishedRun(path), null, text);
  }
});

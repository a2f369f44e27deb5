import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readServing, type ServedRun, writeServing } from '../../../runtime/run-dir/state-files.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('paths inside the state directory follow it when it is moved; others stay', async (t) => {
  const dir = temporaryDir(t);
  const [before, after] = [join(dir, 'a.rollout'), join(dir, 'b.rollout')];
  mkdirSync(before);
  const run: ServedRun = {
    inputPath: join(before, 'spool', 'input.jsonl'),
    outputPath: join(dir, '..out'),
    outputMode: 0o644,
    tlsDir: join(before, 'tls'),
    order: 'input',
    form: 'batch',
    limit: null,
    maxLineBytes: 1,
  };
  const serving = { address: 'h:1', http: null, pid: 1, epoch: 1, run };
  await writeServing(join(before, 'coordinator.json'), serving);
  t.deepEqual(await readServing(join(before, 'coordinator.json')), serving);
  renameSync(before, after);
  const moved = { ...run, inputPath: join(after, 'spool', 'input.jsonl'), tlsDir: join(after, 'tls') };
  t.deepEqual((await readServing(join(after, 'coordinator.json')))?.run, moved);
});

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RolloutError } from '../../../runtime/base/errors.ts';
import { readEpochMark, readServing, type ServedRun, writeEpochMark, writeServing } from '../../../runtime/run-dir/state-files.ts';
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

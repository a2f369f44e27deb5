import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { logSize, logTail, tailOf } from '../../../../runtime/cli/run/log-tail.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('JSON lines are shown by message and cause, others as they are', (t) => {
  const text = '{"level":50,"msg":"cannot write","err":{"message":"disk full"}}\nrollout-worker: no such file\n{"level":30,"time":1}\n';
  t.deepEqual(tailOf(text, 8), ['cannot write: disk full', 'rollout-worker: no such file', '{"level":30,"time":1}']);
});

test('the last lines are kept, each different one once', (t) => {
  t.deepEqual(tailOf('a\nb\nb\na\nc\n\nb\n', 2), ['c', 'b']);
});

test('only what was written after a process started is its own', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'w1.log');
  t.is(await logSize(path), 0);
  await writeFile(path, 'of the one before\n');
  const from = await logSize(path);
  await writeFile(path, 'its own\n', { flag: 'a' });
  t.deepEqual(await logTail(path, from), ['its own']);
  t.deepEqual(await logTail(join(dir, 'none.log')), []);
});

test('a log that cannot be opened is told, and is not taken for an empty one', async (t) => {
  const path = join(temporaryDir(t), 'w1.log');
  await symlink(path, path);
  await t.throwsAsync(logSize(path), { code: 'STATE_UNREADABLE', message: /w1\.log/ });
  t.regex((await logTail(path)).join(), /cannot read .*w1\.log: ELOOP/);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../../runtime/base/clock.ts';
import { lockHolder } from '../../../runtime/base/fs/process-lock.ts';
import { identifyProcess } from '../../../runtime/base/process/process-identity.ts';
import { createChildRegister, endLeftovers } from '../../../runtime/cli/run/leftovers.ts';
import { lockRun } from '../../../runtime/run-dir/run-lock.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('a second run on the same state directory is refused, naming the pid of the first', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  const lock = await lockRun(dir);
  await t.throwsAsync(lockRun(dir), {
    message: new RegExp(`process ${process.pid}\\b.*status --watch --state ${dirname(dir)}\``),
    code: 'USAGE',
  });
  t.is((await lockHolder(dir))?.pid, process.pid);
  await lock.release();
  t.is(await lockHolder(dir), null);
  await (await lockRun(dir)).release();
});

test('processes of an interrupted run that do not end are killed, a stopped one too; others of the same pid are not', async (t) => {
  const path = join(temporaryDir(t), 'children.json');
  const stopped = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(stopped, 'spawn');
  const ended = once(stopped, 'exit');
  await createChildRegister(path).add(stopped.pid ?? 0);
  stopped.kill('SIGSTOP');
  let nowMs = 0;
  const hurried = { ...systemClock, monotonicMs: () => (nowMs += 5_000) };
  const notices: string[] = [];
  await endLeftovers(path, hurried, (line) => notices.push(line));
  t.deepEqual((await ended)[1], 'SIGKILL');
  t.regex(notices.join('\n'), new RegExp(`killing process ${stopped.pid}`));
  await writeFile(path, JSON.stringify([{ ...(await identifyProcess(process.pid)), startTime: '1' }]));
  await endLeftovers(path, systemClock, () => t.fail('this process is none of them'));
});

test('a lock or a register that cannot be read is told: somebody may hold it', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  await mkdir(join(dir, '7'), { recursive: true });
  await t.throwsAsync(lockRun(dir), { code: 'STATE_UNREADABLE', message: /lock\/7 .*(?:check its owner|it is a directory)/ });
  await t.throwsAsync(lockHolder(dir), { code: 'STATE_UNREADABLE' });
  await t.throwsAsync(
    endLeftovers(dir, systemClock, () => undefined),
    { code: 'STATE_UNREADABLE' },
  );
});

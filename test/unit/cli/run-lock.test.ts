import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../runtime/base/clock.ts';
import { identifyProcess, ownProcess } from '../../../runtime/base/process-identity.ts';
import { createChildRegister, endLeftovers } from '../../../runtime/cli/leftovers.ts';
import { lockHolder, lockRun } from '../../../runtime/cli/run-lock.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const DEAD = { startTime: '1' };

async function staleLock(t: ExecutionContext, text: string): Promise<string> {
  const dir = join(temporaryDir(t), 'lock');
  await mkdir(dir);
  await writeFile(join(dir, '7'), text);
  return dir;
}

test('a second run on the same state directory is refused, naming the pid of the first', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  const lock = await lockRun(dir);
  await t.throwsAsync(lockRun(dir), {
    message: new RegExp(`pid ${process.pid}\\b.*status --watch --state ${dirname(dir)}\``),
    code: 'USAGE',
  });
  t.is(await lockHolder(dir), process.pid);
  await lock.release();
  t.is(await lockHolder(dir), null);
  await (await lockRun(dir)).release();
});

test('the lock of a dead process, or one cut short, holds nobody off', async (t) => {
  for (const stale of [JSON.stringify({ ...(await ownProcess()), ...DEAD }), '{"bootId":', '']) {
    const dir = await staleLock(t, stale);
    const lock = await lockRun(dir);
    await t.throwsAsync(lockRun(dir), { code: 'USAGE' });
    await lock.release();
    await (await lockRun(dir)).release();
    t.true((await readdir(dir)).length <= 2);
  }
});

test('of many starts over a stale lock at once exactly one gets it', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const dir = await staleLock(t, JSON.stringify({ ...(await ownProcess()), ...DEAD }));
    const settled = await Promise.allSettled(Array.from({ length: 8 }, async () => lockRun(dir)));
    t.is(settled.filter((one) => one.status === 'fulfilled').length, 1);
  }
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
  await t.throwsAsync(lockRun(dir), { code: 'STATE_UNREADABLE', message: /lock\/7 .*check its owner/ });
  await t.throwsAsync(lockHolder(dir), { code: 'STATE_UNREADABLE' });
  await t.throwsAsync(
    endLeftovers(dir, systemClock, () => undefined),
    { code: 'STATE_UNREADABLE' },
  );
});

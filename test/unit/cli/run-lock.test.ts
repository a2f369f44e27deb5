import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../runtime/base/clock.ts';
import { identifyProcess, ownProcess } from '../../../runtime/base/process-identity.ts';
import { createChildRegister, endLeftovers } from '../../../runtime/cli/leftovers.ts';
import { lockRun } from '../../../runtime/cli/run-lock.ts';

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rollout-lock-'));
  t.teardown(async () => rm(path, { recursive: true, force: true }));
  return path;
}

test('a second run on the same state directory is refused, naming the pid of the first', async (t) => {
  const path = join(await folder(t), 'run.lock');
  const lock = await lockRun(path);
  await t.throwsAsync(lockRun(path), { message: new RegExp(`pid ${process.pid}\\b`), code: 'USAGE' });
  await lock.release();
  await (await lockRun(path)).release();
  await t.throwsAsync(access(path), { code: 'ENOENT' });
});

test('the lock of a dead process, or one cut short, holds nobody off, and nothing is left behind', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'run.lock');
  for (const stale of [JSON.stringify({ ...(await ownProcess()), startTime: '1' }), '{"bootId":', '']) {
    await writeFile(path, stale);
    const lock = await lockRun(path);
    t.deepEqual(await readdir(dir), ['run.lock']);
    await lock.release();
  }
});

test('of many starts over a stale lock at once exactly one gets it', async (t) => {
  const path = join(await folder(t), 'run.lock');
  await writeFile(path, JSON.stringify({ ...(await ownProcess()), startTime: '1' }));
  const settled = await Promise.allSettled(Array.from({ length: 8 }, async () => lockRun(path)));
  t.is(settled.filter((one) => one.status === 'fulfilled').length, 1);
});

test('processes of an interrupted run that do not end are killed, a stopped one too; others of the same pid are not', async (t) => {
  const path = join(await folder(t), 'children.json');
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

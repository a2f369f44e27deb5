import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { lockHolder, type ProcessLock, takeLock } from '../../../../runtime/base/fs/process-lock.ts';
import { ownProcess } from '../../../../runtime/base/process/process-identity.ts';
import { startLockHolder } from '../../../support/lock-holder.ts';
import { scratch } from '../../../support/scratch.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

async function locked(t: ExecutionContext, dir: string): Promise<ProcessLock> {
  const attempt = await takeLock(dir);
  t.is(attempt.kind, 'locked');
  return (attempt as Extract<typeof attempt, { kind: 'locked' }>).lock;
}

test('of two the second is told who holds the lock, until that is released', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  t.is(await lockHolder(dir), null);
  const lock = await locked(t, dir);
  t.like(await takeLock(dir), { kind: 'held', by: await ownProcess() });
  t.like(await lockHolder(dir), await ownProcess());
  await lock.release();
  t.is(await lockHolder(dir), null);
  await (await locked(t, dir)).release();
});

test('a start that stands still while it looks at a holder that ends has no lock beside the next one', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  await mkdir(dir);
  await writeFile(join(dir, '4'), 'a dead one');
  const holder = join(dir, '5');
  execFileSync('mkfifo', [holder]);
  const gate = openSync(holder, 'r+');
  const slow = takeLock(dir);
  const isLooking = (): boolean => readdirSync('/proc/self/fd').filter((fd) => nameOf(`/proc/self/fd/${fd}`) === holder).length > 1;
  while (!isLooking()) await setImmediate();
  await rm(holder);
  const lock = await locked(t, dir);
  closeSync(gate);
  t.like(await slow, { kind: 'held', by: await ownProcess() });
  t.like(await lockHolder(dir), await ownProcess());
  await lock.release();
});

function nameOf(fd: string): string | null {
  try {
    return readlinkSync(fd);
  } catch {
    return null;
  }
}

test('a killed holder holds nobody off; a stopped one does, and one killed while stopped does not', async (t) => {
  const dir = join(scratch(t), 'lock');
  for (const isStopped of [false, true]) {
    const holder = await startLockHolder(t, dir);
    t.is((await lockHolder(dir))?.pid, holder.pid);
    if (isStopped) holder.signal('SIGSTOP');
    t.is((await takeLock(dir)).kind, 'held');
    holder.signal('SIGKILL');
    await holder.ended;
    t.is(await lockHolder(dir), null);
    const lock = await locked(t, dir);
    await lock.release();
  }
  t.true((await readdir(dir)).length <= 2, 'what is left does not grow');
});

test('a lock that was copied, cut short, or names a socket elsewhere holds nobody off', async (t) => {
  const own = await ownProcess();
  const elsewhere = join(temporaryDir(t), 'other.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(elsewhere, resolve));
  t.teardown(() => server.close());
  const texts = [
    JSON.stringify({ ...own, socket: '0123.sock' }),
    JSON.stringify({ ...own, socket: elsewhere }),
    '{"bootId":',
    '',
    '7',
    'null',
  ];
  for (const text of texts) {
    const dir = join(temporaryDir(t), 'lock');
    await mkdir(dir);
    await writeFile(join(dir, '7'), text);
    const lock = await locked(t, dir);
    t.is((await takeLock(dir)).kind, 'held', text);
    await lock.release();
  }
});

test('of many starts over the lock of a dead process exactly one gets it', async (t) => {
  const dir = join(scratch(t), 'lock');
  const holder = await startLockHolder(t, dir);
  holder.signal('SIGKILL');
  await holder.ended;
  for (let round = 0; round < 10; round += 1) {
    const attempts = await Promise.all(Array.from({ length: 8 }, () => takeLock(dir)));
    const won = attempts.filter((one) => one.kind === 'locked');
    t.is(won.length, 1, `round ${round}`);
    for (const one of won) await one.lock.release();
  }
});

test('a directory with a very long path can be locked', async (t) => {
  const dir = join(temporaryDir(t), 'd'.repeat(200), 'e'.repeat(200));
  const lock = await locked(t, dir);
  t.is((await takeLock(dir)).kind, 'held');
  await lock.release();
});

test('a lock that cannot be read is told: somebody may hold it', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  await mkdir(join(dir, '7'), { recursive: true });
  await t.throwsAsync(takeLock(dir), { code: 'STATE_UNREADABLE', message: /lock\/7 .*it is a directory: move it away/ });
  await t.throwsAsync(lockHolder(dir), { code: 'STATE_UNREADABLE' });
});

test('the holder is named in a file that others may read without asking it', async (t) => {
  const dir = join(temporaryDir(t), 'lock');
  const lock = await locked(t, dir);
  t.like(JSON.parse(await readFile(join(dir, '1'), 'utf8')), { pid: process.pid });
  await lock.release();
});

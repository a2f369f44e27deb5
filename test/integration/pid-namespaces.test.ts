import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { lockHolder, takeLock } from '../../runtime/base/fs/process-lock.ts';
import { CONTAINER } from '../support/command.ts';
import { startLockHolder } from '../support/lock-holder.ts';
import { scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';

/** Two containers of one machine on one directory, by real pid namespaces: both have a process 1. */

const TTL_MS = 1_500;
/** In a namespace of its own, and not as its pid 1. */
const AS_CHILD: readonly string[] = [...CONTAINER, 'sh', '-c', '"$@"; exit $?', 'sh'];
/** The same, with the /proc of the parent: there the namespace's own pids are those of other processes. */
const WITH_FOREIGN_PROC: readonly string[] = ['unshare', '--pid', '--fork', '--kill-child', 'sh', '-c', 'true; "$@"; exit $?', 'sh'];

test('of two processes, each pid 1 of its container, one has the lock; when its container dies the other gets it', async (t) => {
  const dir = join(scratch(t), 'lock');
  const first = await startLockHolder(t, dir, CONTAINER);
  t.is((await lockHolder(dir))?.pid, 1);
  await t.throwsAsync(startLockHolder(t, dir, CONTAINER), { message: /said held/ });
  t.is((await takeLock(dir)).kind, 'held', 'nor does one outside get it');
  first.signal('SIGKILL');
  await first.ended;
  await until('the container is gone', 10_000, async () => (await lockHolder(dir)) === null);
  const second = await startLockHolder(t, dir, CONTAINER);
  t.is((await lockHolder(dir))?.pid, 1);
  second.signal('SIGKILL');
  await second.ended;
});

interface Candidate {
  readonly child: ChildProcess;
  said(): string;
}

const CANDIDATE = fileURLToPath(new URL('../support/lease-process.ts', import.meta.url));

function candidate(t: ExecutionContext, dir: string, name: string, launch: readonly string[]): Candidate {
  const [command, ...args] = [...launch, process.execPath, CANDIDATE, dir, name, String(TTL_MS)];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, said: () => said };
}

for (const [what, launch] of [
  ['another container', AS_CHILD],
  ['a namespace that sees the /proc of another', WITH_FOREIGN_PROC],
] as const) {
  test(`L4: a living holder in ${what} is not taken for dead; killed, it is followed after a whole TTL`, async (t) => {
    const dir = join(scratch(t), 'store');
    const first = candidate(t, dir, 'a', launch);
    await until('the first holds the lease', 30_000, () => first.said().includes('"won"'));
    // One more child, so that the two have different pids: LMDB would not tell them apart.
    const second = candidate(t, dir, 'b', [...launch, 'sh', '-c', 'true; "$@"; exit $?', 'sh']);
    await until('the second waits', 30_000, () => second.said().includes('"passive"'));
    await sleep(TTL_MS * 2);
    t.false(second.said().includes('"won"'), second.said());
    t.false(first.said().includes('"lost"'), first.said());
    const ended = once(first.child, 'exit');
    const killedMs = performance.now();
    first.child.kill('SIGKILL');
    await ended;
    await until('the second follows', 30_000, () => second.said().includes('"won"'));
    t.true(performance.now() - killedMs >= TTL_MS * 0.6, 'its last renewal was seen, and a whole TTL waited for');
    t.regex(second.said(), /"epoch":1,"won":\{"kind":"stolen","killedPid":null\}/);
  });
}

test('of two processes with one pid the second does not open the store, and says what to do; the first goes on', async (t) => {
  const dir = join(scratch(t), 'store');
  const first = candidate(t, dir, 'a', CONTAINER);
  await until('the first holds the lease', 30_000, () => first.said().includes('"won"'));
  const second = spawn(CONTAINER[0] ?? '', [...CONTAINER.slice(1), process.execPath, CANDIDATE, dir, 'b', String(TTL_MS)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.teardown(() => second.kill('SIGKILL'));
  let said = '';
  second.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(second, 'close')) as [number];
  t.not(code, 0);
  t.regex(said, /open in a process of another container that has the same pid as this one, 1;.*docker exec/);
  t.notRegex(said, /refCount/);
  await sleep(TTL_MS * 2);
  t.false(first.said().includes('"lost"'));
  first.child.stdin?.write('resign\n');
  await until('the first writes still', 10_000, () => first.said().includes('"resigned"'));
});

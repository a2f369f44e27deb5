import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import type { ProcessIdentity } from '../../../../runtime/base/process/process-identity.ts';
import { isProcessAlive, isProcessDead, isProcessDeadOnThisBoot, ownProcess } from '../../../../runtime/base/process/process-identity.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { until } from '../../../support/until.ts';

test('a process finds itself alive, under its own pid and user', async (t) => {
  const own = await ownProcess();
  t.is(own.pid, process.pid);
  t.is(own.uid, process.getuid?.() ?? -1);
  t.deepEqual(await ownProcess(), own);
  t.false(await isProcessDead(own));
  t.true(await isProcessAlive(own));
});

test('another boot is certain death', async (t) => {
  const own = await ownProcess();
  const [, namespace] = own.bootId.split('/');
  const earlier = { ...own, bootId: `00000000-0000-0000-0000-000000000000/${namespace}` };
  t.true(await isProcessDead(earlier));
  t.false(await isProcessDeadOnThisBoot(earlier), 'it may be another machine');
  t.false(await isProcessAlive(earlier));
});

test('the same pid with another start time is another process', async (t) => {
  const own = { ...(await ownProcess()), startTime: '1' };
  t.true(await isProcessDead(own));
  t.true(await isProcessDeadOnThisBoot(own));
  const nowhere = { ...own, bootId: own.bootId.replace(/^[^/]*/, '') };
  t.false(await isProcessDeadOnThisBoot(nowhere), 'namespaces have the same numbers on other machines');
  t.false(await isProcessAlive(own));
});

test('of a process in another pid namespace nothing is certain', async (t) => {
  const own = await ownProcess();
  const elsewhere = { ...own, bootId: `${own.bootId.split('/')[0]}/1.2`, pid: 4_000_000 };
  t.false(await isProcessDead(elsewhere));
  t.false(await isProcessAlive(elsewhere));
});

test('a killed process is dead, also before its parent has taken note', async (t) => {
  const source = new URL('../../../../runtime/base/process/process-identity.ts', import.meta.url);
  const program = `import('${source.href}').then((m) => m.ownProcess()).then((own) => console.log(JSON.stringify(own))); setInterval(() => 0, 1000)`;
  // The shell becomes `sleep`, which takes note of no child: the killed one stays a zombie.
  const command = '"$0" --input-type=module -e "$1" & exec sleep 60';
  const parent = spawn('/bin/sh', ['-c', command, process.execPath, program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = JSON.parse(line.toString()) as ProcessIdentity;
  t.true(await isProcessAlive(child));
  t.false(await isProcessDead(child));
  process.kill(child.pid, 'SIGKILL');
  await until('the child is dead', 10_000, () => isProcessDead(child));
  t.false(await isProcessAlive(child));
  t.notThrows(() => process.kill(child.pid, 0), 'its pid is still taken');
});

test('a pid that nobody has is certain death', async (t) => {
  const child = spawn('/bin/true', { stdio: 'ignore' });
  await once(child, 'exit');
  t.true(await isProcessDead({ ...(await ownProcess()), pid: child.pid ?? 0 }));
});

/** What a process finds that is started in another way. */
async function askedIn(launch: readonly string[], expression: string): Promise<Record<string, unknown>> {
  const source = new URL('../../../../runtime/base/process/process-identity.ts', import.meta.url);
  const program = `const m = await import('${source.href}'); const own = await m.ownProcess(); console.log(JSON.stringify({ own, ...(${expression}) }))`;
  const [command, ...args] = [...launch, process.execPath, '--input-type=module', '-e', program];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  await once(child, 'exit');
  return JSON.parse(line.toString()) as Record<string, unknown>;
}

test('in a pid namespace that sees the /proc of its parent, whose numbers are other processes, nothing is taken for dead or alive', async (t) => {
  const launch = ['unshare', '--pid', '--fork', '--kill-child', 'sh', '-c', 'true; "$@"; exit $?', 'sh'];
  const asked = `{ isDead: await m.isProcessDead({ ...own, startTime: '1' }), isAlive: await m.isProcessAlive(own) }`;
  const { own, isDead, isAlive } = await askedIn(launch, asked);
  t.deepEqual({ isDead, isAlive }, { isDead: false, isAlive: false });
  t.true(Number((own as ProcessIdentity).startTime) >= Number((await ownProcess()).startTime), 'its own start time is its own');
});

test('a boot id that a container manager has put in place of the kernel’s says nothing about boots', async (t) => {
  const mount = 'echo 11111111-2222-3333-4444-555555555555 >"$0/id" && mount --bind "$0/id" /proc/sys/kernel/random/boot_id && exec "$@"';
  const launch = ['unshare', '--mount', 'sh', '-c', mount, temporaryDir(t)];
  const earlier = `00000000-0000-0000-0000-000000000000/`;
  const asked = `{ isDead: await m.isProcessDead({ ...own, bootId: '${earlier}' + own.bootId.split('/')[1] }) }`;
  const { own, isDead } = await askedIn(launch, asked);
  t.regex((own as ProcessIdentity).bootId, /^\/\d/);
  t.false(isDead);
  const named = own as ProcessIdentity;
  t.true(await isProcessDead(named), 'outside: its pid is free again, and counted in the same namespace');
  t.false(await isProcessDead({ ...named, pid: process.pid, startTime: (await ownProcess()).startTime }));
});

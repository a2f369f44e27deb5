import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { isProcessAlive, isProcessDead, ownProcess } from '../../../runtime/base/process-identity.ts';
import type { ProcessIdentity } from '../../../runtime/model/lease.ts';
import { until } from '../../support/until.ts';

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
  t.false(await isProcessAlive(earlier));
});

test('the same pid with another start time is another process', async (t) => {
  const own = { ...(await ownProcess()), startTime: '1' };
  t.true(await isProcessDead(own));
  t.false(await isProcessAlive(own));
});

test('of a process in another pid namespace nothing is certain', async (t) => {
  const own = await ownProcess();
  const elsewhere = { ...own, bootId: `${own.bootId.split('/')[0]}/1`, pid: 4_000_000 };
  t.false(await isProcessDead(elsewhere));
  t.false(await isProcessAlive(elsewhere));
});

test('a killed process is dead, also before its parent has taken note', async (t) => {
  const source = new URL('../../../runtime/base/process-identity.ts', import.meta.url);
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

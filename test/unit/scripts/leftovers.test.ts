import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { killLeftovers, RUN_MARK } from '../../../scripts/leftovers.ts';

test('a process of the run is killed though it has a group of its own, and no other is', async (t) => {
  const mark = `planted-${process.pid}`;
  const start = (value: string) =>
    spawn('sleep', ['600'], { env: { [RUN_MARK]: value, PATH: '/usr/bin:/bin' }, detached: true, stdio: 'ignore' });
  const own = start(mark);
  const other = start('another run');
  t.teardown(() => void other.kill('SIGKILL'));
  await Promise.all([once(own, 'spawn'), once(other, 'spawn')]);
  const ended = once(own, 'exit');
  t.deepEqual(killLeftovers(mark), ['sleep 600']);
  t.deepEqual(await ended, [null, 'SIGKILL']);
  t.is(other.exitCode ?? other.signalCode, null);
  t.deepEqual(killLeftovers(mark), []);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { startFakeCoordinator } from '../support/fake-coordinator.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { startWorker } from '../support/worker-process.ts';

const INTERVAL_MS = 250;
const BLOCK_MS = 6_000;
/** Late by this much is still far from the failure timeout; a shared machine may stop a thread for as long. */
const TOLERANCE_MS = 4_000;

test('beats go on while the main loop is blocked for six seconds, and tell how late it is', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const script = join(dirname(fileURLToPath(import.meta.url)), '../support/blocked-heartbeat.ts');
  const child = spawn(process.execPath, [script, dir, coordinator.address, String(INTERVAL_MS), String(BLOCK_MS)], { stdio: 'inherit' });
  t.teardown(() => child.kill('SIGKILL'));
  const [exit] = await once(child, 'exit');
  t.is(exit, 0);

  const { beats } = coordinator.heard;
  t.like(beats[0]?.beat, { workerId: 'w1', state: 'init', bootNonce: 'boot' });
  const gaps = beats.slice(1).map((one, n) => one.atMs - (beats[n]?.atMs ?? 0));
  t.log(`${beats.length} beats, longest distance ${Math.round(Math.max(...gaps))} ms`);
  t.true(beats.length >= BLOCK_MS / INTERVAL_MS / 2, `${beats.length} beats`);
  t.true(Math.max(...gaps) < INTERVAL_MS + TOLERANCE_MS, `distances ${gaps.map(Math.round).join(', ')} ms`);
  t.true(
    beats.some(({ beat }) => beat.state === 'ready'),
    'what was said before the block is heard during it',
  );
  const worstLagMs = Math.max(...beats.map(({ beat }) => beat.loopLagMs));
  t.true(worstLagMs > BLOCK_MS / 2 && worstLagMs < BLOCK_MS + TOLERANCE_MS, `lag ${worstLagMs} ms`);
});

test('a worker whose main loop never comes back says so and ends itself, so that its items run elsewhere', async (t) => {
  const dir = scratch(t);
  const coordinator = await startFakeCoordinator(t, dir);
  const worker = startWorker(t, dir, [coordinator.address], {
    settings: { maxLoopBlock: '1s', timing: { heartbeatInterval: '200ms' } },
    env: { NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})" },
  });
  await until('the worker is ready', PATIENCE_MS, () => coordinator.heard.beats.some(({ beat }) => beat.state === 'ready'));
  worker.kill('SIGUSR2');
  t.is(await worker.ended(), 'SIGKILL');
  t.regex(worker.stderr(), /the main loop has hung for maxLoopBlock/);
});

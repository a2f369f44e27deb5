import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { finished } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { checkInvariant, makeRun } from '../support/run.ts';
import { printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { FINE, type Habit } from '../support/zoo/habits.ts';
import { status } from '../support/zoo/replies.ts';
import { zooServer } from '../support/zoo/server.ts';

const CLI = fileURLToPath(new URL('../../runtime/cli.js', import.meta.url));
const MOCK = ['--backend', 'mock'];
/** Every fifth item is one that the server never accepts. */
const FIFTH: Habit = (asked) => (/[05]$/.test(asked.item) ? status(400) : FINE(asked));

test.serial('a run stops early once too many items have failed, says so everywhere, and goes on with a higher limit', async (t) => {
  t.timeout(120_000);
  const server = await zooServer(t, FIFTH);
  const run = makeRun(t, { lines: batchLines(100), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '2'] });
  const stopped = await finished(run.start(['--max-failed', '3%']));
  t.is(stopped.exit, 5, stopped.stderr);
  t.regex(stopped.stderr, /The run is paused: \d+ items have failed, and 3% of 100 may/);
  t.false(existsSync(run.output));
  t.regex((await run.verb('status')).stdout, /state: paused: \d+ items have failed/);
  const last = run.events().at(-1);
  t.like(last, { kind: 'run_finished', state: 'paused' });
  t.true(Number(last?.['failed']) < 20, 'the rest was not tried');
  const again = await finished(run.start(['--max-failed', '100']));
  t.is(again.exit, 1, again.stderr);
  t.regex(again.stderr, /80 done, 20 failed/);
  await checkInvariant(t, run);
});

test.serial(
  'a coordinator that was started by hand says last of all why it has paused the run, at once and when it is started again',
  async (t) => {
    t.timeout(120_000);
    const server = await zooServer(t, FIFTH);
    const run = standalone(t, { lines: batchLines(100), baseUrl: server.url, concurrency: 2, coordinator: { maxFailedItems: '3' } });
    const port = await freePort();
    for (const time of ['at once', 'again']) {
      const coordinator = run.startCoordinator(`c-${time.length}`, port);
      if (time === 'at once') {
        // It makes the authority with which the worker is known.
        await until('it serves', PATIENCE_MS, () => printedEvents(coordinator).some(({ kind }) => kind === 'run_started'));
        run.startWorker('w', [port]);
      }
      t.is(await coordinator.exited, 5, coordinator.stderr());
      t.regex(
        coordinator.stderr().trim().split('\n').at(-1) ?? '',
        /"reason":"\d+ items have failed, and 3 may: .*the run is paused/,
        time,
      );
    }
  },
);

test.serial('a limit that is none is refused', async (t) => {
  const run = makeRun(t, { lines: batchLines(1), args: MOCK });
  const { exit, stderr } = await finished(run.start(['--max-failed', 'some']));
  t.is(exit, 2);
  t.regex(stderr, /a number of items, or a share/);
});

if (process.platform === 'linux')
  test.serial('a host that has IPv6 alone runs a list like any other', async (t) => {
    t.timeout(90_000);
    const run = makeRun(t, { lines: batchLines(20), args: [] });
    const line = `ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec ${process.execPath} ${CLI} run ${run.input} --output ${run.output} --backend mock --workers 2`;
    const child = spawn('unshare', ['-rn', 'bash', '-c', line], { cwd: run.dir });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
    const [exit] = (await once(child, 'close')) as [number | null];
    t.is(exit, 0, text);
    await checkInvariant(t, run);
  });

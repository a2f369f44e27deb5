import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { until } from '../../../support/until.ts';

/** A thread that comes up after it says nothing, and the process outside kills: it has to be longer than a start beside other work. */
const LIMIT_MS = 4_000;
/** A watchdog that bites at all bites soon; the bound is for a machine under load. */
const AT_LAST_MS = 60_000;
const PROGRAM = fileURLToPath(new URL('../../../support/watched-process.ts', import.meta.url));

interface Ended {
  readonly how: number | NodeJS.Signals;
  readonly afterMs: number;
  readonly stderr: string;
  readonly pid: number;
}

async function watched(t: ExecutionContext, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, String(LIMIT_MS), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const [armed] = (await once(child.stdout, 'data')) as [Buffer];
  const [code, signal] = await closed;
  const afterMs = Number(process.hrtime.bigint() - BigInt(armed.toString().trim())) / 1e6;
  return { how: code ?? signal ?? 'SIGKILL', afterMs, stderr, pid: child.pid ?? 0 };
}

/** The small process outside has the pid that it watches as its last word. */
function outsidersOf(pid: number): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(argvOf)
    .filter((argv) => argv.includes(`\0watchdog\0`) && argv.endsWith(`\0${pid}\0`));
}

function argvOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

for (const how of ['spin', 'wait'] as const) {
  const what = how === 'spin' ? 'whose loop spins' : 'that waits for ever';
  test(`L5: once armed, a process ${what} is killed in time, and stderr says why`, async (t) => {
    const ended = await watched(t, how);
    t.is(ended.how, 'SIGKILL');
    // What it says first may be late, and its limit runs already.
    t.true(ended.afterMs >= LIMIT_MS / 2 && ended.afterMs < AT_LAST_MS, `${ended.afterMs} ms`);
    t.is(ended.stderr, 'the watchdog bites\n');
  });
}

test('L5: a process whose exit hangs in a call to the system is killed from outside', async (t) => {
  const fifo = join(temporaryDir(t), 'nobody-writes');
  execFileSync('mkfifo', [fifo]);
  const ended = await watched(t, 'stuck-exit', fifo);
  t.is(ended.how, 'SIGKILL');
  t.true(ended.afterMs < AT_LAST_MS, `${ended.afterMs} ms`);
});

test('a process that ends in time ends as it will, and nothing of the watchdog outlives it', async (t) => {
  const ended = await watched(t, 'exit');
  t.is(ended.how, 3);
  t.is(ended.stderr, '');
  await until('the process outside is gone', AT_LAST_MS, () => outsidersOf(ended.pid).length === 0);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { startCommand } from '../support/command.ts';
import { exitOf } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { printedEvents } from '../support/standalone.ts';
import { PATIENCE_MS } from '../support/until.ts';

const PROGRAM = fileURLToPath(new URL('../support/fatal-process.ts', import.meta.url));
const ROUNDS = 24;
const AT_ONCE = 4;
const DRILLS = 8;

async function lastLines(t: ExecutionContext, how: string): Promise<readonly [string, string]> {
  const child = spawn(process.execPath, [PROGRAM, how], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  await once(child, 'close');
  const logged = said.stderr.split('\n').filter((line) => line.startsWith('{'));
  return [said.stdout.split('\n').at(-2) ?? '', logged.at(-1) ?? ''];
}

for (const how of ['throw', 'reject', 'exit'] as const) {
  test.serial(
    `the last event and the last log line of a process that ends by ${how} are there, ${ROUNDS} of ${ROUNDS} times`,
    async (t) => {
      t.timeout(300_000);
      for (let round = 0; round < ROUNDS; round += AT_ONCE) {
        const all = await Promise.all(Array.from({ length: AT_ONCE }, () => lastLines(t, how)));
        for (const [event, line] of all) {
          t.regex(event, /"kind":"coordinator_fenced".*"byEpoch":51\}$/);
          t.regex(line, /"level":60.*"msg":"the last line"\}$/);
        }
      }
    },
  );
}

test.serial(`a coordinator that is fenced says so with its last event, ${DRILLS} of ${DRILLS} times`, async (t) => {
  t.timeout(300_000);
  const dir = scratch(t);
  for (let drill = 0; drill < DRILLS; drill += 1) {
    const command = startCommand('coordinator', ['test-fence', '--state', join(dir, String(drill))], { cwd: dir });
    t.is(await exitOf(command, PATIENCE_MS), 3, command.stderr());
    t.like(printedEvents(command).at(-1), { kind: 'coordinator_fenced', epoch: 0, byEpoch: 1 });
    t.regex(command.stderr(), /another coordinator has taken the run over; this one ends"\}\n$/);
  }
});

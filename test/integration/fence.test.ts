import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { withRun } from '../../runtime/cli/status/stored-ledger.ts';
import { statePaths } from '../../runtime/run-dir/paths.ts';
import { type Command, type Launcher, startCommand } from '../support/command.ts';
import { exitOf } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { printedEvents } from '../support/standalone.ts';
import { STORES, type StoreKind, testStore } from '../support/test-store.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** What a deposed process may take, from the moment at which it says that it is deposed. */
const FENCED_MS = 5_000;

const fencedEvents = (command: Command): readonly Readonly<Record<string, unknown>>[] =>
  printedEvents(command).filter((event) => event['kind'] === 'coordinator_fenced');

async function drill(t: ExecutionContext, kind: StoreKind, launcher: Launcher, args: readonly string[]): Promise<Command> {
  const store = await testStore(t, kind);
  const dir = scratch(t);
  const state = join(dir, 'state');
  const command = startCommand(launcher, [...args, '--state', state, ...store.args], { cwd: dir });
  await until('it is fenced', PATIENCE_MS, () => fencedEvents(command).length > 0);
  const fencedMs = performance.now();
  await exitOf(command, PATIENCE_MS);
  const tookMs = performance.now() - fencedMs;
  t.log(`ended after ${Math.round(tookMs)} ms`);
  t.like(fencedEvents(command), [{ epoch: 0, byEpoch: 1 }]);
  t.is(fencedEvents(command).length, 1, 'it is said once');
  t.is(printedEvents(command).at(-1)?.['kind'], 'coordinator_fenced', 'and it is the last word');
  t.true(tookMs < FENCED_MS, `${tookMs} ms`);
  await withRun({}, statePaths(state), async ({ ledger }) => {
    t.like((await ledger.readLease()).lease, { holder: 'test-fence', epoch: 1 }, 'the rival holds the lease');
    t.is((await ledger.progress()).done, 0);
  });
  return command;
}

for (const kind of STORES) {
  for (const [launcher, words] of [
    ['coordinator', ['test-fence']],
    ['cli', ['coordinator', 'test-fence']],
  ] as const) {
    test(`fence_aborts_within_5s (${kind}): a deposed coordinator ends with 3 (${[launcher, ...words].join(' ')}) (L5)`, async (t) => {
      t.timeout(300_000);
      const command = await drill(t, kind, launcher, words);
      t.is(await command.exited, 3, command.stderr());
    });
  }

  test(`fence_aborts_within_5s (${kind}): it ends with 3 where its store does not let go (L5)`, async (t) => {
    t.timeout(300_000);
    const command = await drill(t, kind, 'coordinator', ['test-fence', '--hang']);
    t.is(await command.exited, 3, command.stderr());
  });

  test(`fence_aborts_within_5s (${kind}): where its loop spins it is killed by its own watchdog, which says why (L5)`, async (t) => {
    t.timeout(300_000);
    const command = await drill(t, kind, 'cli', ['coordinator', 'test-fence', '--spin']);
    t.is(await command.exited, 'SIGKILL', command.stderr());
    t.regex(command.stderr(), /killed by its watchdog\n$/);
  });
}

test('test-fence is not in the help', async (t) => {
  const command = startCommand('cli', ['coordinator', '--help'], { cwd: scratch(t) });
  t.is(await exitOf(command, PATIENCE_MS), 0);
  t.regex(command.stdout(), /run/);
  t.notRegex(command.stdout(), /test-fence/);
});

import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { chooseRun, findRun } from '../../../../runtime/cli/status/find-run.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

async function folderWith(t: ExecutionContext, runs: readonly string[]): Promise<string> {
  const folder = temporaryDir(t);
  for (const run of runs) {
    await mkdir(join(folder, run), { recursive: true });
    await writeFile(join(folder, run, 'run.json'), '{}');
  }
  return folder;
}

test('the only run below the folder is found; a folder without run.json is no run', async (t) => {
  const folder = await folderWith(t, ['results/a.jsonl.rollout']);
  await mkdir(join(folder, 'empty.rollout'));
  t.is(await findRun(folder, undefined), join(folder, 'results/a.jsonl.rollout'));
});

test('several runs are listed with the option that chooses one', async (t) => {
  const folder = await folderWith(t, ['a.rollout', 'b.rollout']);
  const error = await t.throwsAsync(findRun(folder, undefined), { message: /2 runs/ });
  t.true(error.message.includes(`--state ${join(folder, 'b.rollout')}`));
  t.is(await findRun(folder, 'b.rollout'), join(folder, 'b.rollout'));
});

test('a named directory that is no run is refused', async (t) => {
  const folder = await folderWith(t, []);
  await t.throwsAsync(findRun(folder, 'x.rollout'), { message: /not the state directory/ });
  await t.throwsAsync(findRun(folder, undefined), { message: /--state DIR/ });
});

test('a long list of runs is cut, and says how many more there are', (t) => {
  const error = t.throws(() =>
    chooseRun(
      '/f',
      Array.from({ length: 25 }, (_, n) => `/f/${n}.rollout`),
    ),
  );
  t.regex(error.message, /and 20 more$/);
});

test('of many runs the newest are named first', async (t) => {
  const folder = await folderWith(t, ['a.rollout', 'b.rollout', 'c.rollout']);
  await utimes(join(folder, 'a.rollout'), 1_000, 1_000);
  await utimes(join(folder, 'c.rollout'), 2_000, 2_000);
  const error = await t.throwsAsync(findRun(folder, undefined), { code: 'USAGE' });
  t.deepEqual(
    [...error.message.matchAll(/(\w)\.rollout/g)].map((match) => match[1]),
    ['b', 'c', 'a'],
  );
});

test('a run whose run.json cannot be looked at is told, and is not passed over', async (t) => {
  const folder = await folderWith(t, ['a.rollout']);
  const looped = join(folder, 'b.rollout', 'run.json');
  await mkdir(join(folder, 'b.rollout'));
  await symlink(looped, looped);
  await t.throwsAsync(findRun(folder, undefined), { code: 'STATE_UNREADABLE', message: /b\.rollout/ });
  await t.throwsAsync(findRun(folder, 'b.rollout'), { code: 'STATE_UNREADABLE' });
});

test('where no run is found, directories that may not be looked into are named', (t) => {
  t.throws(() => chooseRun('/f', [], ['/f/closed']), { code: 'USAGE', message: /\/f\/closed may not be looked into/ });
  t.is(chooseRun('/f', ['/f/a.rollout'], ['/f/closed']), '/f/a.rollout');
});

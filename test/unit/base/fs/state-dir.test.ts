import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { makeStateDir, stateUnusable } from '../../../../runtime/base/fs/state-dir.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

test('a new state directory and an empty one are their owner’s alone; one that is in use keeps its permissions', async (t) => {
  const dir = temporaryDir(t);
  const [fresh, empty, used] = [join(dir, 'fresh'), join(dir, 'empty'), join(dir, 'used')] as const;
  for (const path of [empty, used]) {
    mkdirSync(path);
    chmodSync(path, 0o755);
  }
  writeFileSync(join(used, 'run.json'), '{}');
  for (const path of [fresh, empty, used]) await makeStateDir(path);
  t.deepEqual([fresh, empty, used].map(mode), [0o700, 0o700, 0o755]);
});

test('the names of a new state directory, and of those made above it, are on disk', async (t) => {
  const dir = temporaryDir(t);
  const synced: string[] = [];
  const sync = async (path: string): Promise<void> => {
    synced.push(path);
  };
  await makeStateDir(join(dir, 'a', 'b', 'c'), sync);
  t.deepEqual(synced.splice(0), [dir, join(dir, 'a'), join(dir, 'a', 'b')]);
  await makeStateDir(join(dir, 'a', 'b', 'c'), sync);
  t.deepEqual(synced, []);
});

test('a state directory that cannot be made is told with its path, the cause and a way out', async (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, 'file'), '');
  for (const [name, why] of [
    ['file', /no directory/],
    ['file/below', /no directory/],
    ['x'.repeat(300), /too long/],
  ] as const) {
    const error = await t.throwsAsync(makeStateDir(join(dir, name)), { instanceOf: RolloutError, message: why });
    t.is(error?.code, 'STATE_UNREADABLE');
    t.regex(error?.message ?? '', /--state/);
  }
});

for (const [code, why] of [
  ['EACCES', /may not do that/],
  ['EPERM', /forbids/],
  ['EROFS', /read-only/],
  ['EIO', /EIO: said/],
] as const) {
  test(`a state directory that fails with ${code} is told so`, (t) => {
    const error = stateUnusable('/data/s', Object.assign(new Error(`${code}: said the system`), { code }));
    t.true(error instanceof RolloutError);
    t.regex((error as Error).message, why);
  });
}

test('a full disk, and what is said already, stay as they are', (t) => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  t.is(stateUnusable('/s', full), full);
  const said = new RolloutError('USAGE', 'said');
  t.is(stateUnusable('/s', said), said);
});

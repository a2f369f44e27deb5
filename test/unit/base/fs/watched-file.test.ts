import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type Clock, systemClock } from '../../../../runtime/base/clock.ts';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { LOOK_MS, watchFile } from '../../../../runtime/base/fs/watched-file.ts';
import { createLog, silentLog } from '../../../../runtime/base/log.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { until } from '../../../support/until.ts';

interface Watched {
  readonly path: string;
  readonly values: (string | null)[];
  readonly errors: Readonly<Record<string, unknown>>[];
  /** Looks until so many values or errors have come. */
  heard(values: number, errors?: number): Promise<void>;
  /** Looks a few times more: nothing may come. */
  quiet(): Promise<void>;
}

/** A file of upper-case words; looks happen when the test says. */
async function watched(t: ExecutionContext, first: string | null = null): Promise<Watched> {
  const path = join(temporaryDir(t), 'words');
  if (first !== null) writeFileSync(path, first);
  const values: (string | null)[] = [];
  const errors: Readonly<Record<string, unknown>>[] = [];
  let run: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    sleep: async () => {
      await sleep(5);
    },
    every: (ms, each) => {
      t.is(ms, LOOK_MS);
      run = each;
      return { stop: () => undefined };
    },
  };
  const log = { ...createLog('test', 'silent'), error: (fields: Readonly<Record<string, unknown>>) => void errors.push(fields) } as never;
  await watchFile({
    path,
    clock,
    log,
    parse: (text) => {
      if (text !== text.toUpperCase()) throw new RolloutError('CONFIG_INVALID', `${text} at line 1 must be in upper case`);
      return text;
    },
    onValue: (value) => void values.push(value),
  });
  const look = async (): Promise<void> => {
    run();
    await sleep(10);
  };
  return {
    path,
    values,
    errors,
    heard: async (ofValues, ofErrors = 0) => {
      await until(`${ofValues} values, ${ofErrors} errors`, 20_000, async () => {
        await look();
        return values.length >= ofValues && errors.length >= ofErrors;
      });
    },
    quiet: async () => {
      for (let looks = 0; looks < 5; looks += 1) await look();
    },
  };
}

test('what is there at the start has been read when the watch begins; an absent file says nothing', async (t) => {
  t.deepEqual((await watched(t, 'A')).values, ['A']);
  t.deepEqual((await watched(t)).values, []);
});

test('a file appears, changes, is replaced and disappears; each is told once', async (t) => {
  const { path, values, heard, quiet } = await watched(t);
  writeFileSync(path, 'A');
  await heard(1);
  await quiet();
  writeFileSync(path, 'B');
  await heard(2);
  writeFileSync(`${path}.new`, 'C');
  renameSync(`${path}.new`, path);
  await heard(3);
  rmSync(path);
  await heard(4);
  await quiet();
  t.deepEqual(values, ['A', 'B', 'C', null]);
});

test('mistakes are logged once with the file, and the last good word stands', async (t) => {
  const { path, values, errors, heard, quiet } = await watched(t, 'A');
  writeFileSync(path, 'b');
  await heard(1, 1);
  await quiet();
  t.deepEqual(values, ['A']);
  t.deepEqual(errors, [{ file: path, mistakes: 'b at line 1 must be in upper case' }]);
  writeFileSync(path, 'C');
  await heard(2, 1);
  t.deepEqual(values, ['A', 'C']);
});

test('a text that changes between two looks is still being written, and does not count', async (t) => {
  const path = join(temporaryDir(t), 'words');
  writeFileSync(path, '');
  const values: (string | null)[] = [];
  let writes = 0;
  const clock: Clock = {
    ...systemClock,
    sleep: async () => {
      writes += 1;
      if (writes === 1) writeFileSync(path, 'WHOLE');
    },
    every: (_ms, each) => systemClock.every(5, each),
  };
  const watch = await watchFile({ path, clock, log: silentLog, parse: (text) => text, onValue: (value) => void values.push(value) });
  t.teardown(() => watch.stop());
  await until('the whole text', 20_000, () => values.length > 0);
  t.deepEqual(values, ['WHOLE']);
});

test('what cannot be read, or is far too long, is told and changes nothing', async (t) => {
  const { path, values, errors, heard } = await watched(t, 'A');
  rmSync(path);
  mkdirSync(path);
  await heard(1, 1);
  t.regex(String(errors[0]?.['detail']), /not a regular file/);
  writeFileSync(`${path}.new`, 'X'.repeat(1024 * 1024 + 1));
  rmSync(path, { recursive: true });
  renameSync(`${path}.new`, path);
  await until('a second error', 20_000, async () => {
    await heard(1, 1);
    return errors.length >= 2;
  });
  t.regex(String(errors.at(-1)?.['detail']), /longer than 1048576 bytes/);
  t.is(values[0], 'A');
});

test('a pipe or a device is not opened, which might never end: it is told, and a file in its place is read', async (t) => {
  const words = await watched(t, 'ONE');
  rmSync(words.path);
  execFileSync('mkfifo', [words.path]);
  await words.heard(1, 1);
  rmSync(words.path);
  symlinkSync('/dev/zero', words.path);
  await words.quiet();
  rmSync(words.path);
  writeFileSync(words.path, 'TWO');
  await words.heard(2, 1);
  t.deepEqual(words.values, ['ONE', 'TWO']);
  t.deepEqual(
    words.errors.map(({ detail }) => detail),
    ['it is not a regular file'],
  );
});

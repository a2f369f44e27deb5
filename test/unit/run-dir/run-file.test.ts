import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { type RunFile, readRunFile, writeRunFile } from '../../../runtime/run-dir/run-file.ts';
import { redisStore } from '../../support/redis-store.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const RUN: RunFile = {
  version: 1,
  runId: '01HX0000000000000000000000',
  createdAtMs: 1_700_000_000_000,
  input: { path: '/data/in.jsonl', size: 12, mtimeMs: 1_700_000_000_000.25, sha256: null, hashedBytes: null },
  settings: { raw: false, limit: null, maxLineBytes: 1_024, model: 'm', overrideModel: null },
  store: { ...redisStore('redis://a'), passwordFile: '/run/p' },
  results: 'inline',
};

test('a run file reads as it was written, is replaced as a whole, and is absent at first', async (t) => {
  const dir = temporaryDir(t);
  t.is(await readRunFile(dir), null);
  await writeRunFile(dir, RUN);
  t.deepEqual(await readRunFile(dir), RUN);
  const known: RunFile = { ...RUN, input: { ...RUN.input, sha256: '00ff', hashedBytes: 12 } };
  await writeRunFile(dir, known);
  t.deepEqual(await readRunFile(dir), known);
  t.deepEqual(readdirSync(dir), ['run.json']);
});

test('a run file of before the length of lines was kept in it means the highest', async (t) => {
  const dir = temporaryDir(t);
  const { maxLineBytes: _, ...settings } = RUN.settings;
  writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...RUN, settings }));
  t.is((await readRunFile(dir))?.settings.maxLineBytes, 8 * 2 ** 20);
});

test('a run file that cannot be read names itself, what is wrong and what to do', async (t) => {
  const broken: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /it is not JSON/],
    ['{"version":1', /it is not JSON/],
    ['null', /object/],
    [JSON.stringify({ ...RUN, version: 2 }), /version: /],
    [JSON.stringify({ ...RUN, runId: '' }), /runId: /],
    [JSON.stringify({ ...RUN, input: { ...RUN.input, size: 'x' } }), /input\.size: /],
    [JSON.stringify({ ...RUN, settings: {} }), /settings\.raw: /],
    [JSON.stringify({ ...RUN, store: { ...RUN.store, url: 'redis://%zz@a' } }), /store\.url: must have a user/],
  ];
  for (const [text, why] of broken) {
    const dir = temporaryDir(t);
    writeFileSync(join(dir, 'run.json'), text);
    const error = await t.throwsAsync(readRunFile(dir), { instanceOf: RolloutError });
    t.is(error?.code, 'STATE_UNREADABLE');
    t.regex(error?.message ?? '', why);
    t.regex(error?.message ?? '', /run\.json .*restore it from a copy, or begin a new run with --fresh/);
  }
});

test('a run file that is a directory is told likewise, and writing where nothing can be written is an error', async (t) => {
  const dir = temporaryDir(t);
  mkdirSync(join(dir, 'run.json'));
  t.is((await t.throwsAsync(readRunFile(dir), { instanceOf: RolloutError }))?.code, 'STATE_UNREADABLE');
  t.is((await t.throwsAsync(writeRunFile(join(dir, 'absent'), RUN), { instanceOf: RolloutError }))?.code, 'STORE_FAILED');
});

test('a store whose run.json is gone is refused, and no other run is begun over it', async (t) => {
  const dir = temporaryDir(t);
  t.is(await readRunFile(dir), null);
  mkdirSync(join(dir, 'store'));
  const error = await t.throwsAsync(readRunFile(dir), { instanceOf: RolloutError, message: /run\.json .*missing.*--fresh/ });
  t.is(error?.code, 'STATE_UNREADABLE');
});

test('where it cannot be seen whether there is a store, no run is begun over it', async (t) => {
  const dir = temporaryDir(t);
  symlinkSync('store', join(dir, 'store'));
  await t.throwsAsync(readRunFile(dir), { code: 'STATE_UNREADABLE', message: /store .*ELOOP/ });
});

import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { createOutputGuard, type OutputGuard } from '../../../../runtime/results/export/output-guard.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

interface World {
  readonly dir: string;
  readonly out: string;
  guard(state: string, isOverwriting?: boolean): OutputGuard;
  write(guard: OutputGuard, text: string): Promise<void>;
}

function world(t: ExecutionContext): World {
  const dir = temporaryDir(t);
  const out = join(dir, 'out.jsonl');
  return {
    dir,
    out,
    guard: (state, isOverwriting = false) => {
      mkdirSync(join(dir, state), { recursive: true });
      return createOutputGuard({ stateDir: join(dir, state), isOverwriting, words: 'flags' });
    },
    write: async (guard, text) => {
      const temporary = join(dir, 'temporary');
      writeFileSync(temporary, text);
      await guard.remember(out, temporary);
      renameSync(temporary, out);
    },
  };
}

const TAKEN = { instanceOf: RolloutError, code: 'OUTPUT_TAKEN' } as const;

test('a file that a run has written is its own, also for a later process and under another name', async (t) => {
  const { dir, out, guard, write } = world(t);
  await write(guard('a'), 'one\n');
  await t.notThrowsAsync(guard('a').refuseTaken([out]));
  await write(guard('a'), 'two\n');
  await t.notThrowsAsync(guard('a').refuseTaken([out]));
  renameSync(out, join(dir, 'moved'));
  symlinkSync('moved', join(dir, 'link'));
  await t.notThrowsAsync(guard('a').refuseTaken([join(dir, 'moved'), join(dir, 'link'), out]));
});

test('a file that was changed since, touched, or written by somebody else is not', async (t) => {
  const { out, guard, write } = world(t);
  await write(guard('a'), 'one\n');
  await t.throwsAsync(guard('b').refuseTaken([out]), TAKEN);
  appendFileSync(out, 'mine\n');
  await t.throwsAsync(guard('a').refuseTaken([out]), TAKEN);
  await write(guard('a'), 'one\n');
  utimesSync(out, 1, 1);
  await t.throwsAsync(guard('a').refuseTaken([out]), TAKEN);
  await t.notThrowsAsync(guard('a', true).refuseTaken([out]), 'with --overwrite it is replaced');
});

test('what was written is not known any more once the state is deleted', async (t) => {
  const { dir, out, guard, write } = world(t);
  await write(guard('a'), 'one\n');
  rmSync(join(dir, 'a'), { recursive: true });
  await t.throwsAsync(guard('a').refuseTaken([out]), TAKEN);
});

test('an output of an unfinished run is refused to any other, by whatever name, and free again once that run has written it', async (t) => {
  const { dir, out, guard } = world(t);
  symlinkSync('.', join(dir, 'here'));
  const first = guard('a');
  await first.claim([out, `${out}.errors.jsonl`]);
  for (const path of [out, join(dir, 'here', 'out.jsonl'), `${out}.errors.jsonl`]) {
    await t.throwsAsync(guard('b').claim([path]), { ...TAKEN, message: /unfinished run in .*\/a: / }, path);
    await t.throwsAsync(guard('b').refuseTaken([path]), TAKEN, path);
  }
  await t.notThrowsAsync(guard('a').claim([out]), 'its own run goes on, also in another process');
  await t.notThrowsAsync(
    createOutputGuard({ stateDir: join(dir, 'here', 'a'), isOverwriting: false, words: 'flags' }).refuseTaken([out]),
    'and also where another way leads to its state',
  );
  await first.release();
  await t.notThrowsAsync(guard('b').claim([out]));
  await guard('b').release();
  t.deepEqual(readdirSync(dir).toSorted(), ['a', 'b', 'here'], 'nothing is left beside the output');
});

test('a claim holds nobody up once its run is gone, or writes elsewhere', async (t) => {
  const { dir, out, guard } = world(t);
  await guard('a').claim([out]);
  await guard('a').claim([join(dir, 'elsewhere')]);
  await t.notThrowsAsync(guard('b').claim([out]));
  rmSync(join(dir, 'b'), { recursive: true });
  await t.notThrowsAsync(guard('c').claim([out]));
  await t.throwsAsync(guard('a').claim([out]), TAKEN);
  t.false(existsSync(join(dir, '.out.jsonl.claim.tmp')));
});

test('with --overwrite a claim is taken, and its run is refused from then on', async (t) => {
  const { out, guard } = world(t);
  await guard('a').claim([out]);
  await guard('b', true).claim([out]);
  await t.throwsAsync(guard('a').refuseTaken([out]), { ...TAKEN, message: /unfinished run in .*\/b: / });
});

test('of two runs that claim at once at most one has the output', async (t) => {
  const { out, guard } = world(t);
  const claims = await Promise.allSettled(['a', 'b', 'c', 'd'].map((state) => guard(state).claim([out])));
  t.true(claims.filter((claim) => claim.status === 'fulfilled').length <= 1);
  t.true(claims.some((claim) => claim.status === 'rejected'));
});

test('a directory at the path of an output is told as one, without advice to replace it', async (t) => {
  const { out, guard } = world(t);
  mkdirSync(out);
  const error = await t.throwsAsync(guard('a').refuseTaken([out]), { instanceOf: RolloutError, code: 'OUTPUT_UNWRITABLE' });
  t.regex(error?.message ?? '', /is a directory.*name another one/);
  t.notRegex(error?.message ?? '', /overwrite/);
});

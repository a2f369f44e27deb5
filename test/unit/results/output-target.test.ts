import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { checkOutputTarget } from '../../../runtime/results/output-target.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

function folder(t: ExecutionContext): { readonly dir: string; readonly inputPath: string; check(output: string): Promise<void> } {
  const dir = temporaryDir(t);
  const inputPath = join(dir, 'in.jsonl');
  writeFileSync(inputPath, '{}\n');
  const check = async (output: string): Promise<void> =>
    checkOutputTarget({ outputPath: output, errorsPath: `${output}.errors.jsonl`, inputPath });
  return { dir, inputPath, check };
}

test('the input is not overwritten, by whatever name it is called', async (t) => {
  const { dir, inputPath, check } = folder(t);
  symlinkSync(inputPath, join(dir, 'symbolic'));
  linkSync(inputPath, join(dir, 'hard'));
  symlinkSync(inputPath, join(dir, 'out.errors.jsonl'));
  for (const output of [inputPath, `${dir}/./in.jsonl`, join(dir, 'symbolic'), join(dir, 'hard'), join(dir, 'out')]) {
    const error = await t.throwsAsync(check(output), { instanceOf: RolloutError, message: /overwrite the input/ }, output);
    t.is(error?.code, 'USAGE');
  }
});

test('what could not be written at the end is refused at the start: a directory, a device, a missing folder', async (t) => {
  const { dir, check } = folder(t);
  mkdirSync(join(dir, 'folder'));
  symlinkSync('/dev/null', join(dir, 'device'));
  for (const [output, message] of [
    ['folder', /is a directory/],
    ['device', /no regular file/],
    ['missing/out', /no directory .*missing/],
    ['in.jsonl/out', /no directory/],
  ] as const) {
    const error = await t.throwsAsync(check(join(dir, output)), { instanceOf: RolloutError, message }, output);
    t.is(error?.code, 'OUTPUT_UNWRITABLE');
  }
});

test('a new name and an earlier output are accepted', async (t) => {
  const { dir, check } = folder(t);
  writeFileSync(join(dir, 'earlier'), '');
  await t.notThrowsAsync(check(join(dir, 'new')));
  await t.notThrowsAsync(check(join(dir, 'earlier')));
});

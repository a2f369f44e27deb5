import { execFileSync } from 'node:child_process';
import { closeSync, linkSync, mkdirSync, openSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { checkOutputTarget, realTarget } from '../../../../runtime/results/export/output-target.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

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
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  for (const [output, message] of [
    ['folder', /is a directory/],
    ['device', /device is a device, and results need a regular file/],
    ['pipe', /pipe is a pipe/],
    ['missing/out', /no directory .*missing/],
    ['in.jsonl/out', /no directory/],
  ] as const) {
    const error = await t.throwsAsync(check(join(dir, output)), { instanceOf: RolloutError, message }, output);
    t.is(error?.code, 'OUTPUT_UNWRITABLE');
  }
});

test('a link to a file that is not there yet is a name for it; one that leads nowhere or round in a circle is refused', async (t) => {
  const { dir, check } = folder(t);
  symlinkSync('later', join(dir, 'to-later'));
  symlinkSync(join(dir, 'missing', 'x'), join(dir, 'to-missing'));
  symlinkSync('round', join(dir, 'round'));
  await t.notThrowsAsync(check(join(dir, 'to-later')));
  t.is(await realTarget(join(dir, 'to-later')), join(dir, 'later'));
  await t.throwsAsync(check(join(dir, 'to-missing')), { instanceOf: RolloutError, message: /no directory .*missing/ });
  await t.throwsAsync(check(join(dir, 'round')), { instanceOf: RolloutError, message: /ELOOP.*links go round/ });
});

test('a name that the errors file or a temporary file makes too long is refused, and nothing is left behind', async (t) => {
  const { dir, check } = folder(t);
  for (const [length, isRefused] of [
    [250, true],
    [238, true],
    [200, false],
  ] as const) {
    const checked = check(join(dir, 'x'.repeat(length)));
    if (isRefused) await t.throwsAsync(checked, { instanceOf: RolloutError, message: /ENAMETOOLONG.*shorter/, code: 'OUTPUT_UNWRITABLE' });
    else await t.notThrowsAsync(checked);
  }
  t.deepEqual(readdirSync(dir), ['in.jsonl']);
});

test('an output in the state directory is refused, by whatever way it is reached', async (t) => {
  const { dir, inputPath } = folder(t);
  const stateDir = join(dir, 'out.rollout');
  mkdirSync(stateDir);
  symlinkSync(stateDir, join(dir, 'link'));
  for (const outputPath of [join(stateDir, 'out'), join(dir, 'link', 'out')]) {
    const checked = checkOutputTarget({ outputPath, errorsPath: `${outputPath}.errors.jsonl`, inputPath, stateDir });
    await t.throwsAsync(checked, { instanceOf: RolloutError, message: /lies in the state directory/ }, outputPath);
  }
  const beside = join(dir, 'out');
  await t.notThrowsAsync(checkOutputTarget({ outputPath: beside, errorsPath: `${beside}.errors.jsonl`, inputPath, stateDir }));
});

test('a new name and an earlier output are accepted', async (t) => {
  const { dir, check } = folder(t);
  writeFileSync(join(dir, 'earlier'), '');
  await t.notThrowsAsync(check(join(dir, 'new')));
  await t.notThrowsAsync(check(join(dir, 'earlier')));
});

test('an open file of a process is no output, though the shell has sent it to a regular file', async (t) => {
  const { dir, check } = folder(t);
  const descriptor = openSync(join(dir, 'redirected'), 'w');
  t.teardown(() => closeSync(descriptor));
  symlinkSync(`/dev/fd/${descriptor}`, join(dir, 'link'));
  for (const output of [`/dev/fd/${descriptor}`, `/proc/self/fd/${descriptor}`, join(dir, 'link'), '/dev/stdout']) {
    const error = await t.throwsAsync(check(output), {
      instanceOf: RolloutError,
      message: /stands for an open file of a process.*name a file/,
    });
    t.is(error?.code, 'OUTPUT_UNWRITABLE');
    t.notRegex(error?.message ?? '', /overwrite/);
  }
});

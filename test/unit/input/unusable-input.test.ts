import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { checkInputFile, prepareInput } from '../../../runtime/input/file/spool.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

async function refusal(t: ExecutionContext, run: Promise<unknown>): Promise<RolloutError> {
  return await t.throwsAsync(run, { instanceOf: RolloutError });
}

test('a device is refused by its kind, since reading it may have no end', async (t) => {
  const error = await refusal(t, prepareInput({ form: 'batch', input: '/dev/null', stateDir: temporaryDir(t) }));
  t.is(error.code, 'INPUT_UNREADABLE');
  t.regex(error.message, /\/dev\/null: it is a character device: name a regular file or a pipe/);
});

test('what can be refused is refused before there is a state directory', async (t) => {
  const dir = temporaryDir(t);
  const list = join(dir, 'list');
  writeFileSync(list, '{"a":1}\n');
  for (const input of [dir, '/dev/null', join(dir, 'missing')]) await refusal(t, checkInputFile(input, 'batch'));
  await t.notThrowsAsync(checkInputFile(list, 'batch'));
});

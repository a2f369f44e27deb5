import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { checkInputFile, prepareInput } from '../../../runtime/input/spool.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

async function refusal(t: ExecutionContext, run: Promise<unknown>): Promise<RolloutError> {
  return await t.throwsAsync(run, { instanceOf: RolloutError });
}

test('an input without lines is refused, be it a file, a gzip file or a pipe', async (t) => {
  const dir = temporaryDir(t);
  const [stateDir, gz] = [join(dir, 'state'), join(dir, 'in.jsonl.gz')];
  const [empty, blank] = [`${gz}.empty`, `${gz}.blank`];
  writeFileSync(empty, '');
  writeFileSync(blank, '\n\n');
  writeFileSync(gz, gzipSync(''));
  for (const input of [empty, blank, gz]) {
    const error = await refusal(t, prepareInput({ form: 'batch', input, stateDir }));
    t.is(error.code, 'INPUT_FORMAT');
    t.true(error.message.includes(`${input} has no lines`), error.message);
  }
  const error = await refusal(t, prepareInput({ form: 'batch', input: '-', stateDir, stdin: Readable.from([Buffer.from('\n')]) }));
  t.regex(error.message, /\(standard input\) has no lines/);
});

test('a device is refused, since it is neither a regular file nor a pipe', async (t) => {
  const error = await refusal(t, prepareInput({ form: 'batch', input: '/dev/null', stateDir: temporaryDir(t) }));
  t.is(error.code, 'INPUT_UNREADABLE');
  t.regex(error.message, /\/dev\/null: it is neither a regular file nor a pipe/);
});

test('what can be refused is refused before there is a state directory', async (t) => {
  const dir = temporaryDir(t);
  const [empty, list] = [join(dir, 'empty'), join(dir, 'list')];
  writeFileSync(empty, '');
  writeFileSync(list, '{"a":1}\n');
  for (const input of [empty, dir, '/dev/null', join(dir, 'missing')]) await refusal(t, checkInputFile(input, 'batch'));
  await t.notThrowsAsync(checkInputFile(list, 'batch'));
});

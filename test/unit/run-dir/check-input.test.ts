import { createHash } from 'node:crypto';
import { appendFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { checkInput } from '../../../runtime/run-dir/check-input.ts';
import type { RunInput } from '../../../runtime/run-dir/run-file.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const CONTENTS = 'one\ntwo\nthree\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function known(path: string, hashed: string | null): RunInput {
  writeFileSync(path, CONTENTS);
  const { size, mtimeMs } = statSync(path);
  return { path, size, mtimeMs, sha256: hashed === null ? null : sha256(hashed), hashedBytes: hashed === null ? null : hashed.length };
}

test('the same size and mtime are the same input, without reading it', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = { ...known(path, CONTENTS), sha256: 'of something else' };
  t.like(await checkInput(input, path), { kind: 'same' });
});

test('a touched or copied file is the same input when its bytes are, and its new stamp is told', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = known(path, CONTENTS);
  utimesSync(path, 10, 10);
  t.deepEqual(await checkInput(input, path), {
    kind: 'same',
    stamp: { size: CONTENTS.length, mtimeMs: 10_000 },
  });
});

test('other bytes of the same size are another input, and both hashes are told', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = known(path, CONTENTS);
  const other = CONTENTS.toUpperCase();
  writeFileSync(path, other);
  utimesSync(path, 10, 10);
  t.deepEqual(await checkInput(input, path), {
    kind: 'different',
    difference: { name: 'input (SHA-256)', found: sha256(CONTENTS), wanted: sha256(other) },
  });
});

test('a file that goes on behind its known bytes has grown; one whose beginning is another one has not', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = known(path, CONTENTS);
  appendFileSync(path, 'four\n');
  t.like(await checkInput(input, path), { kind: 'grown', difference: { name: 'input' } });
  writeFileSync(path, `${CONTENTS.toUpperCase()}four\n`);
  t.like(await checkInput(input, path), { kind: 'different', difference: { name: 'input (SHA-256)' } });
  writeFileSync(path, 'one\n');
  t.like(await checkInput(input, path), { kind: 'different', difference: { name: 'input' } });
  const unknown = known(path, null);
  appendFileSync(path, 'four\n');
  t.like(await checkInput(unknown, path), { kind: 'grown' }, 'the index has to prove it');
});

test('another time while no hash is known is another input', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const unknown = known(path, null);
  utimesSync(path, 10, 10);
  const check = await checkInput(unknown, path);
  t.like(check, { kind: 'different', difference: { name: 'input', wanted: `${CONTENTS.length} bytes of 1970-01-01T00:00:10.000Z` } });
});

test('with a limit only the beginning counts: the file may grow behind it', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = known(path, 'one\n');
  appendFileSync(path, 'four\n');
  t.like(await checkInput(input, path), { kind: 'same' });
  writeFileSync(path, 'ONE\n');
  t.like(await checkInput(input, path), { kind: 'different' });
  writeFileSync(path, 'on');
  t.like(await checkInput(input, path), { kind: 'different' });
});

test('an input that is gone is an error that names it', async (t) => {
  const path = join(temporaryDir(t), 'in');
  const input = known(path, CONTENTS);
  rmSync(path);
  const error = await t.throwsAsync(checkInput(input, path), { instanceOf: RolloutError });
  t.is(error?.code, 'INPUT_UNREADABLE');
  t.true(error?.message.includes(path));
});

import { once } from 'node:events';
import { createReadStream, createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import test from 'ava';
import { endingLines } from '../../../../runtime/input/file/check-form.ts';
import { prepareInput } from '../../../../runtime/input/file/spool.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

async function lengthOf(pieces: readonly string[], mostBytes: number): Promise<number> {
  let bytes = 0;
  const source = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  for await (const piece of endingLines(source, { kind: 'stream', name: '(standard input)' }, mostBytes)) bytes += piece.length;
  return bytes;
}

test('lines pass as long as each comes to its end, in whatever pieces', async (t) => {
  t.is(await lengthOf(['aaaa', '\nbbbb', '\n', 'cccc\ndddd'], 9), 19);
});

test('a line without an end is refused once it is too long for any, with the name of its input', async (t) => {
  const told = { code: 'INPUT_FORMAT', message: /standard input\) has 9 bytes without the end of a line/ };
  await t.throwsAsync(lengthOf(['a\nbbbb', 'bbbb', 'b', 'b'], 9), told);
});

test('standard input that brings NUL bytes without end, and gzip of them, are refused at their beginning, and nothing is kept', async (t) => {
  const dir = temporaryDir(t);
  const zeros = createReadStream('/dev/zero');
  const told = { code: 'INPUT_FORMAT', message: /is no text/ };
  await t.throwsAsync(prepareInput({ form: 'batch', input: '-', stateDir: join(dir, 'a'), stdin: zeros }), told);
  zeros.destroy();
  const file = join(dir, 'in.gz');
  await once(
    createReadStream('/dev/zero', { end: 2 ** 20 })
      .pipe(createGzip())
      .pipe(createWriteStream(file)),
    'finish',
  );
  await t.throwsAsync(prepareInput({ form: 'batch', input: file, stateDir: join(dir, 'b') }), told);
  t.deepEqual(readdirSync(join(dir, 'a', 'spool')), []);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { LineReader } from '../../../../runtime/results/verify/line-reader.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

function file(t: ExecutionContext): string {
  const dir = temporaryDir(t);
  return join(dir, 'lines');
}

async function read(path: string, maxBytes: number): Promise<readonly (readonly [number, string | null, number, boolean])[]> {
  const reader = await LineReader.open(path, maxBytes);
  if (reader === null) return [];
  const all: (readonly [number, string | null, number, boolean])[] = [];
  for (let lines = await reader.next(); lines.length > 0; lines = await reader.next()) {
    all.push(...lines.map((line) => [line.number, line.bytes?.toString('latin1') ?? null, line.end, line.isEnded] as const));
  }
  await reader.close();
  return all;
}

test('lines come with their numbers and ends; longer ones than allowed come without their bytes', async (t) => {
  const path = file(t);
  const lengths = fc.array(fc.oneof(fc.nat(20), fc.constantFrom(2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.boolean(), fc.constantFrom(10, 2 ** 20, 10 ** 8), async (sizes, isEnded, maxBytes) => {
      const texts = sizes.map((size, n) => String.fromCharCode(97 + (n % 26)).repeat(size));
      const text = texts.join('\n') + (isEnded && texts.length > 0 ? '\n' : '');
      writeFileSync(path, text);
      let end = 0;
      const expected = texts.map((line, n) => {
        const hasEnd = isEnded || n < texts.length - 1;
        end += line.length + (hasEnd ? 1 : 0);
        return [n + 1, line.length > maxBytes ? null : line, end, hasEnd] as const;
      });
      if (!isEnded && texts.at(-1) === '') expected.pop();
      t.true(isDeepStrictEqual(await read(path, maxBytes), expected));
    }),
    { numRuns: 60 },
  );
});

test('a file that is not there is none', async (t) => {
  t.is(await LineReader.open(file(t), 10), null);
});

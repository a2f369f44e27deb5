import test from 'ava';
import { linesOf } from '../../../../operator/kube/lines.ts';

async function* chunks(text: string, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function lines(text: string, bytes: number, most = 100): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of linesOf(chunks(text, bytes), most)) found.push(line);
  return found;
}

test('lines are whole wherever the chunks are cut, and what has no end is left out', async (t) => {
  for (let bytes = 1; bytes < 20; bytes += 1) {
    t.deepEqual(await lines('{"a":"ü"}\n\n{"b":1}\n{"c":', bytes), ['{"a":"ü"}', '', '{"b":1}']);
  }
  t.deepEqual(await lines('', 1), []);
});

test('a line has a limit; many of them have none', async (t) => {
  t.is((await lines(`${'x'.repeat(90)}\n`.repeat(50), 7)).length, 50);
  await t.throwsAsync(lines('x'.repeat(200), 7), { name: 'NoAnswer' });
});

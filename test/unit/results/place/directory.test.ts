import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { type Disk, systemDisk } from '../../../../runtime/base/fs/disk.ts';
import { directoryPlace } from '../../../../runtime/results/place/directory.ts';
import { openedPlace } from '../../../support/created-log.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('L22: a directory is made into a place once and keeps its identity, also when many start at once', async (t) => {
  const dir = join(temporaryDir(t), 'new', 'segments');
  const opened = await Promise.all(Array.from({ length: 20 }, () => openedPlace(directoryPlace(dir), 0)));
  t.is(new Set(opened.map(({ placeId }) => placeId)).size, 1);
  t.regex(opened[0]?.placeId ?? '', /^[0-9a-f]{32}$/);
  t.deepEqual(readdirSync(dir), ['place.json']);
});

test('L22: segments without the identity that was made with them are refused', async (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, '0000000000.seg'), '');
  await t.throwsAsync(directoryPlace(dir).open(0, 'run'), { code: 'PLACE_ELSEWHERE' });
  t.deepEqual(readdirSync(dir), ['0000000000.seg']);
});

test('a damaged identity, or one of a later version, is an error that names the file', async (t) => {
  const dir = temporaryDir(t);
  for (const text of ['', '{', '[]', 'null', '{"version":2,"placeId":"a","runId":"run"}', '{"version":1,"placeId":7,"runId":"run"}']) {
    writeFileSync(join(dir, 'place.json'), text);
    const error = await t.throwsAsync<RolloutError>(directoryPlace(dir).open(0, 'run'), { instanceOf: RolloutError });
    t.is(error?.code, 'STATE_UNREADABLE', text);
    t.true(error?.message.includes(join(dir, 'place.json')), text);
    t.is(readFileSync(join(dir, 'place.json'), 'utf8'), text);
  }
});

test('files are told by their whole name, and those of nobody are left alone', async (t) => {
  const dir = temporaryDir(t);
  for (const name of ['0000000010.seg', '0000000009.seg', '0000000000.seg', '99.seg', '0000000011.seg.tmp', 'place.json'])
    writeFileSync(join(dir, name), '');
  t.deepEqual(await directoryPlace(dir).epochs(), [0, 9, 10]);
});

/** The system's disk, whose durable files take only so many bytes at once and fail in the third write; it says what they were asked. */
function failingDisk(mostBytes: number, asked: string[]): Disk {
  return {
    ...systemDisk,
    createDurable: async (path) => {
      const file = await systemDisk.createDurable(path);
      return {
        write: async (bytes, offset) => {
          asked.push(Buffer.from(bytes.subarray(offset)).toString());
          if (asked.length === 3) throw new Error('no space left');
          return file.write(bytes.subarray(0, offset + mostBytes), offset);
        },
        close: () => file.close(),
      };
    },
  };
}

for (const { mostBytes, asked, left } of [
  { mostBytes: 4, asked: ['head', 'body', 'more'], left: 'headbody' },
  { mostBytes: 2, asked: ['head', 'ad', 'body'], left: 'head' },
]) {
  test(`L18: an append is one durable write, or several where the disk takes ${mostBytes} bytes at once, and the first failure is told`, async (t) => {
    const seen: string[] = [];
    const dir = temporaryDir(t);
    const reply = await directoryPlace(dir, failingDisk(mostBytes, seen)).create(0, Buffer.from('head'));
    if (reply.kind !== 'created') return t.fail();
    const append = async (): Promise<void> => {
      for (const text of ['body', 'more']) await reply.writer.append(Buffer.from(text));
    };
    await t.throwsAsync(append, { message: 'no space left' });
    t.deepEqual(seen, asked);
    t.is(readFileSync(join(dir, '0000000000.seg'), 'utf8'), left);
    await reply.writer.close();
  });
}

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

/** The system's disk, whose files fail in one step from the second append on, and which says what was done with them. */
function failingDisk(step: 'write' | 'datasync', done: string[]): Disk {
  return {
    ...systemDisk,
    open: async (path, flags, mode) => {
      const file = await systemDisk.open(path, flags, mode);
      if (!path.endsWith('.seg')) return file;
      const counted = async <T>(name: typeof step, call: () => Promise<T>): Promise<T> => {
        done.push(name);
        if (name === step && done.filter((one) => one === name).length > 1) throw new Error('no space left');
        return call();
      };
      return {
        write: (bytes, offset) => counted('write', () => file.write(bytes, offset)),
        datasync: () => counted('datasync', () => file.datasync()),
        writeFile: (contents) => file.writeFile(contents),
        chmod: (to) => file.chmod(to),
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
  };
}

for (const step of ['write', 'datasync'] as const) {
  test(`L18: an append is one write and one sync, and rejects where its ${step} fails`, async (t) => {
    const done: string[] = [];
    const reply = await directoryPlace(temporaryDir(t), failingDisk(step, done)).create(0, Buffer.from('head'));
    if (reply.kind !== 'created') return t.fail();
    t.deepEqual(done, ['write', 'datasync']);
    await t.throwsAsync(reply.writer.append(Buffer.from('body')), { message: 'no space left' });
    t.deepEqual(done.slice(2), step === 'write' ? ['write'] : ['write', 'datasync']);
    await reply.writer.close();
  });
}

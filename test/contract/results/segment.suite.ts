import type { TestFn } from 'ava';
import { openedPlace } from '../../support/created-log.ts';
import { contentsOf, type OpenPlace, writerOf } from '../../support/place-start.ts';

const MIB = 2 ** 20;

/** L17, L18: what a place does with the bytes of segments. */
export function segmentSuite(test: TestFn, open: OpenPlace): void {
  test('L17: a segment is created once, and the second who asks for it leaves the first one as it is', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(3);
    await openedPlace(place, 3, runId);
    const writer = await writerOf(place, 3, 'head');
    const error = await t.throwsAsync((await hold(3)).create(3, Buffer.from('other')), { code: 'RESULT_LOG_FAILED' });
    t.regex(error?.message ?? '', /0000000003\.seg exists already/);
    await writer.append(Buffer.from(' tail'));
    t.is(await contentsOf(place, 3), 'head tail');
    await writer.close();
  });

  test('L18: what was appended is read by another process, in the order of the appends, by epoch', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(2);
    await openedPlace(place, 2, runId);
    const writer = await writerOf(place, 2, 'a');
    for (const text of ['b', 'cc', '', 'd']) t.deepEqual(await writer.append(Buffer.from(text)), { kind: 'appended' });
    await writer.close();
    const later = await hold(10);
    await (await writerOf(later, 10, 'later')).close();
    t.deepEqual(await later.epochs(), [2, 10]);
    t.deepEqual([await contentsOf(later, 2), await contentsOf(later, 10)], ['abccd', 'later']);
  });

  test('any range is read, and where the segment ends there is less', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    await openedPlace(place, 0, runId);
    const whole = Buffer.alloc(9 * MIB + 5, 'abcdefghijklmnopqrstuvwxyz0123456789');
    const writer = await writerOf(place, 0, '');
    for (const [start, end] of [
      [0, 10],
      [10, 2 * MIB + 3],
      [2 * MIB + 3, whole.length],
    ] as const)
      await writer.append(whole.subarray(start, end));
    const segment = await place.read(0);
    t.is(await segment.size(), whole.length);
    for (const [position, length] of [
      [0, whole.length],
      [0, 1],
      [MIB - 1, 2],
      [MIB, MIB],
      [2 * MIB - 7, MIB + 100],
      [4 * MIB - 1, 2],
      [3 * MIB, 5 * MIB + 3],
      [whole.length - 3, 100],
    ] as const) {
      const into = Buffer.alloc(length, '.');
      const filled = await segment.read(into, position);
      const expected = whole.subarray(position, position + length);
      t.is(filled, expected.length, `${length} bytes from ${position}`);
      t.true(into.subarray(0, filled).equals(expected), `${length} bytes from ${position}`);
      t.true(
        into.subarray(filled).every((byte) => byte === '.'.charCodeAt(0)),
        'what there is not is left alone',
      );
    }
    t.is(await segment.read(Buffer.alloc(10), whole.length), 0);
    t.is(await segment.read(Buffer.alloc(10), whole.length + MIB), 0);
    await segment.close();
    await writer.close();
  });

  test('a reader sees a segment grow while its writer writes', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    await openedPlace(place, 0, runId);
    const writer = await writerOf(place, 0, 'one');
    const segment = await place.read(0);
    const into = Buffer.alloc(6);
    t.deepEqual([await segment.size(), await segment.read(into, 0)], [3, 3]);
    await writer.append(Buffer.from('two'));
    t.deepEqual([await segment.size(), await segment.read(into, 0), into.toString()], [6, 6, 'onetwo']);
    await segment.close();
    await writer.close();
  });

  test('L5, L17: whatever a deposed writer still appends, what its successor has written stays as it is', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    await openedPlace(place, 0, runId);
    const writer = await writerOf(place, 0, 'old');
    const successor = await hold(1);
    const own = await writerOf(successor, 1, 'new');
    const { kind } = await writer.append(Buffer.from(' late'));
    t.true(['appended', 'fenced'].includes(kind));
    await own.append(Buffer.from(' words'));
    t.deepEqual([await successor.epochs(), await contentsOf(successor, 1)], [[0, 1], 'new words']);
    t.is(await contentsOf(successor, 0), kind === 'appended' ? 'old late' : 'old', 'and it was told the truth');
    for (const one of [writer, own]) await one.close();
  });

  test('a segment that is not there is an error that names it', async (t) => {
    const { hold } = await open(t);
    await t.throwsAsync((await hold(0)).read(7), { code: 'SEGMENT_MISSING', message: /0000000007\.seg/ });
  });
}

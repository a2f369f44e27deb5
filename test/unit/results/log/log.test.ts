import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import type { Frame } from '../../../../runtime/results/log/contract.ts';
import { createResultLog, GroupCommitLog, type SegmentSink } from '../../../../runtime/results/log/log.ts';
import { decodeFrame, decodeHeader, SEGMENT_HEADER_BYTES } from '../../../../runtime/results/log/segment.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const PLACE = { placeId: 'place', runId: 'run' };

function frame(index: number, bytes = 3): Frame {
  return { index, attempt: 1, kind: 'result', line: Buffer.alloc(bytes, 'x') };
}

function indexesIn(bytes: Buffer, start: number, epoch: number): readonly number[] {
  const indexes: number[] = [];
  for (let at = start; at < bytes.length; ) {
    const decoded = decodeFrame(bytes, at, epoch);
    if (decoded.kind !== 'frame') throw new Error(`${decoded.kind} at ${at}`);
    indexes.push(decoded.frame.index);
    at += decoded.bytes;
  }
  return indexes;
}

/** A file that does each step only when the test lets it. */
class SteppedSink implements SegmentSink {
  readonly done: string[] = [];
  #pending: { readonly name: string; readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  write(bytes: Uint8Array): Promise<void> {
    return this.#wait(`write ${indexesIn(Buffer.from(bytes), 0, 5).join(' ')}`);
  }

  sync(): Promise<void> {
    return this.#wait('sync');
  }

  close(): Promise<void> {
    this.done.push('close');
    return Promise.resolve();
  }

  get pending(): string | null {
    return this.#pending?.name ?? null;
  }

  /** Ends the step that is under way, and lets the log take its next one. */
  async step(error: Error | null = null): Promise<void> {
    const pending = this.#pending;
    if (pending === null) throw new Error('nothing is under way');
    this.#pending = null;
    this.done.push(pending.name);
    if (error === null) pending.resolve();
    else pending.reject(error);
    await new Promise((resolve) => setImmediate(resolve));
  }

  #wait(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending = { name, resolve, reject };
    });
  }
}

/** What became of an append so far. */
function fate(append: Promise<void>): { state: string } {
  const seen = { state: 'waiting' };
  append.then(
    () => {
      seen.state = 'durable';
    },
    (error: unknown) => {
      seen.state = error instanceof RolloutError ? error.code : String(error);
    },
  );
  return seen;
}

test('L17: a segment is created exclusively, and named by its epoch', async (t) => {
  const dir = temporaryDir(t);
  const log = await createResultLog({ dir, epoch: 3, place: PLACE });
  t.is(log.epoch, 3);
  t.deepEqual(decodeHeader(readFileSync(join(dir, '0000000003.seg'))), { epoch: 3, placeId: 'place' });
  const error = await t.throwsAsync<RolloutError>(createResultLog({ dir, epoch: 3, place: PLACE }), { instanceOf: RolloutError });
  t.is(error?.code, 'RESULT_LOG_FAILED');
  t.regex(error?.message ?? '', /0000000003\.seg exists already/);
  await log.close();
});

test('L18: what an append resolved for is in the file, in the order of the calls', async (t) => {
  const dir = temporaryDir(t);
  const log = await createResultLog({ dir, epoch: 5, place: PLACE });
  await log.append([]);
  await Promise.all(Array.from({ length: 50 }, (_, n) => log.append([frame(2 * n), frame(2 * n + 1, 5000)])));
  const bytes = readFileSync(join(dir, '0000000005.seg'));
  t.deepEqual(
    indexesIn(bytes, SEGMENT_HEADER_BYTES, 5),
    Array.from({ length: 100 }, (_, n) => n),
  );
  await log.close();
});

test('L18: while one commit runs, later appends gather and share the next write and sync', async (t) => {
  const sink = new SteppedSink();
  const log = new GroupCommitLog(5, 'a.seg', sink);
  const first = fate(log.append([frame(1)]));
  const second = fate(log.append([frame(2), frame(3)]));
  const third = fate(log.append([frame(4)]));
  await sink.step();
  t.deepEqual([first.state, second.state, third.state], ['waiting', 'waiting', 'waiting']);
  await sink.step();
  t.deepEqual([first.state, second.state, third.state], ['durable', 'waiting', 'waiting']);
  await sink.step();
  t.deepEqual([second.state, third.state], ['waiting', 'waiting']);
  await sink.step();
  t.deepEqual([second.state, third.state], ['durable', 'durable']);
  t.deepEqual(sink.done, ['write 1', 'sync', 'write 2 3 4', 'sync']);
  t.is(sink.pending, null);
});

test('one write holds at most 32 MiB of several appends', async (t) => {
  const sink = new SteppedSink();
  const log = new GroupCommitLog(5, 'a.seg', sink);
  const appends = [1, 2, 3, 4].map((index) => fate(log.append([frame(index, 15 * 2 ** 20)])));
  for (let step = 0; step < 6; step++) await sink.step();
  t.deepEqual(sink.done, ['write 1', 'sync', 'write 2 3', 'sync', 'write 4', 'sync']);
  t.true(appends.every(({ state }) => state === 'durable'));
});

for (const failing of ['write', 'sync'] as const) {
  test(`L18: a failed ${failing} is final: nothing is written or synced again, and everything waiting and later is refused`, async (t) => {
    const sink = new SteppedSink();
    const log = new GroupCommitLog(5, 'a.seg', sink);
    const first = fate(log.append([frame(1)]));
    const second = fate(log.append([frame(2)]));
    if (failing === 'sync') await sink.step();
    await sink.step(new Error('no space left'));
    t.deepEqual([first.state, second.state], ['RESULT_LOG_FAILED', 'RESULT_LOG_FAILED']);
    const error = await t.throwsAsync<RolloutError>(log.append([frame(3)]), { instanceOf: RolloutError });
    t.regex(error?.message ?? '', /a\.seg: no space left/);
    t.deepEqual(sink.done, failing === 'write' ? ['write 1'] : ['write 1', 'sync']);
    t.is(sink.pending, null);
    await log.close();
    t.is(sink.done.at(-1), 'close');
  });
}

test('close waits for the appends before it, and refuses those after it', async (t) => {
  const sink = new SteppedSink();
  const log = new GroupCommitLog(5, 'a.seg', sink);
  const before = fate(log.append([frame(1)]));
  const closing = log.close();
  const after = fate(log.append([frame(2)]));
  await sink.step();
  await sink.step();
  await closing;
  await log.close();
  t.deepEqual([before.state, after.state], ['durable', 'RESULT_LOG_FAILED']);
  t.deepEqual(sink.done, ['write 1', 'sync', 'close']);
});

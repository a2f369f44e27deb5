import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import type { Fenced } from '../../../../runtime/ledger/contract.ts';
import type { Frame } from '../../../../runtime/results/log/contract.ts';
import { createResultLog, GroupCommitLog } from '../../../../runtime/results/log/log.ts';
import { decodeFrame, decodeHeader, SEGMENT_HEADER_BYTES } from '../../../../runtime/results/log/segment.ts';
import type { Appended, Full, SegmentWriter } from '../../../../runtime/results/place/contract.ts';
import { directoryPlace } from '../../../../runtime/results/place/directory.ts';
import { createdLog } from '../../../support/created-log.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

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

/** A segment that does each step only when the test lets it. */
class SteppedWriter implements SegmentWriter {
  readonly done: string[] = [];
  #pending: { readonly name: string; readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  async append(bytes: Uint8Array): Promise<Appended> {
    await this.#wait(`append ${indexesIn(Buffer.from(bytes), 0, 5).join(' ')}`);
    return { kind: 'appended' };
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
function fate(append: Promise<Appended | Full | Fenced>): { state: string } {
  const seen = { state: 'waiting' };
  append.then(
    ({ kind }) => {
      seen.state = kind;
    },
    (error: unknown) => {
      seen.state = error instanceof RolloutError ? error.code : String(error);
    },
  );
  return seen;
}

test('L18: what an append resolved for is in the segment, behind its header, in the order of the calls', async (t) => {
  const dir = temporaryDir(t);
  const log = await createdLog(directoryPlace(dir), 5, { placeId: 'place' });
  t.is(log.epoch, 5);
  await log.append([]);
  await Promise.all(Array.from({ length: 50 }, (_, n) => log.append([frame(2 * n), frame(2 * n + 1, 5000)])));
  const bytes = readFileSync(join(dir, '0000000005.seg'));
  t.deepEqual(decodeHeader(bytes), { epoch: 5, placeId: 'place' });
  t.deepEqual(
    indexesIn(bytes, SEGMENT_HEADER_BYTES, 5),
    Array.from({ length: 100 }, (_, n) => n),
  );
  await log.close();
});

test('L5: where a later coordinator has won, no log is made, and each append hears of it', async (t) => {
  const fenced = { kind: 'fenced', epoch: 6 } as const;
  const place = { name: 'here', create: async () => fenced };
  t.deepEqual(await createResultLog({ place, epoch: 5, identity: { placeId: 'place' } }), fenced);
  const log = new GroupCommitLog(5, 'a.seg', { append: async () => fenced, close: async () => undefined });
  t.deepEqual(await Promise.all([log.append([frame(1)]), log.append([frame(2)])]), [fenced, fenced]);
});

test('L18: while one append runs, later ones gather and share the next', async (t) => {
  const writer = new SteppedWriter();
  const log = new GroupCommitLog(5, 'a.seg', writer);
  const first = fate(log.append([frame(1)]));
  const second = fate(log.append([frame(2), frame(3)]));
  const third = fate(log.append([frame(4)]));
  t.deepEqual([first.state, second.state, third.state], ['waiting', 'waiting', 'waiting']);
  await writer.step();
  t.deepEqual([first.state, second.state, third.state], ['appended', 'waiting', 'waiting']);
  await writer.step();
  t.deepEqual([second.state, third.state], ['appended', 'appended']);
  t.deepEqual(writer.done, ['append 1', 'append 2 3 4']);
  t.is(writer.pending, null);
});

test('one write holds at most 32 MiB of several appends', async (t) => {
  const writer = new SteppedWriter();
  const log = new GroupCommitLog(5, 'a.seg', writer);
  const appends = [1, 2, 3, 4].map((index) => fate(log.append([frame(index, 15 * 2 ** 20)])));
  for (let step = 0; step < 3; step++) await writer.step();
  t.deepEqual(writer.done, ['append 1', 'append 2 3', 'append 4']);
  t.true(appends.every(({ state }) => state === 'appended'));
});

test('L18: a failed append is final: nothing is written again, and everything waiting and later is refused', async (t) => {
  const writer = new SteppedWriter();
  const log = new GroupCommitLog(5, 'a.seg', writer);
  const first = fate(log.append([frame(1)]));
  const second = fate(log.append([frame(2)]));
  await writer.step(new Error('no space left'));
  t.deepEqual([first.state, second.state], ['RESULT_LOG_FAILED', 'RESULT_LOG_FAILED']);
  const error = await t.throwsAsync<RolloutError>(log.append([frame(3)]), { instanceOf: RolloutError });
  t.regex(error?.message ?? '', /a\.seg: no space left/);
  t.deepEqual(writer.done, ['append 1']);
  t.is(writer.pending, null);
  await log.close();
  t.is(writer.done.at(-1), 'close');
});

test('close waits for the appends before it, and refuses those after it', async (t) => {
  const writer = new SteppedWriter();
  const log = new GroupCommitLog(5, 'a.seg', writer);
  const before = fate(log.append([frame(1)]));
  const closing = log.close();
  const after = fate(log.append([frame(2)]));
  await writer.step();
  await closing;
  await log.close();
  t.deepEqual([before.state, after.state], ['appended', 'RESULT_LOG_FAILED']);
  t.deepEqual(writer.done, ['append 1', 'close']);
});

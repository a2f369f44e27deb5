import type { ExecutionContext, TestFn } from 'ava';
import type { Frame, ResultLog } from '../../../runtime/results/log/contract.ts';
import { encodeFrames, encodeHeader } from '../../../runtime/results/log/segment.ts';
import { type SegmentEnd, SegmentReader } from '../../../runtime/results/log/segment-reader.ts';
import type { ResultsPlace } from '../../../runtime/results/place/contract.ts';
import { createdLog, openedPlace } from '../../support/created-log.ts';
import { logFrame } from '../../support/log-frame.ts';
import type { OpenPlace } from '../../support/place-start.ts';

const FRAMES = 300;

interface Read {
  readonly indexes: readonly number[];
  readonly end: SegmentEnd;
}

async function readLog(place: ResultsPlace, epoch: number, placeId: string): Promise<Read> {
  const reader = await SegmentReader.open(place, epoch, placeId);
  const indexes: number[] = [];
  for (let block = await reader.next(); block !== null; block = await reader.next())
    for (let n = 0; n < block.frames.count; n += 1) indexes.push(block.frames.index(n));
  const end = await reader.end();
  await reader.close();
  return { indexes, end };
}

function firstFrames(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The real log and its real reader on a place. */
export function logSuite(test: TestFn, open: OpenPlace): void {
  test('L18: while a log is written, each reader finds a prefix of it, with all in it that was durable before', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    const { placeId } = await openedPlace(place, 0, runId);
    const log = await createdLog(place, 0, { placeId });
    const progress = { durable: 0 };
    await Promise.all([write(log, progress), readWhile(t, place, placeId, progress)]);
    const { indexes, end } = await readLog(place, 0, placeId);
    t.deepEqual([indexes, end.problem], [firstFrames(FRAMES), null]);
    await log.close();
  });

  test('L17: of a segment whose writer died in the middle, the whole frames are read, and no other segment is the worse for it', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    const { placeId } = await openedPlace(place, 0, runId);
    const whole = encodeFrames(0, [logFrame(0), logFrame(1)]);
    const torn = encodeFrames(0, [logFrame(2)]);
    const reply = await place.create(0, encodeHeader({ epoch: 0, placeId }));
    if (reply.kind !== 'created') return t.fail();
    await reply.writer.append(Buffer.concat([whole, torn.subarray(0, torn.length - 1)]));
    await reply.writer.close();
    const successor = await hold(1);
    const log = await createdLog(successor, 1, { placeId });
    await log.append([logFrame(2)]);
    const [first, second] = [await readLog(successor, 0, placeId), await readLog(successor, 1, placeId)];
    t.deepEqual([first.indexes, first.end.problem], [[0, 1], 'torn']);
    t.deepEqual([second.indexes, second.end.problem], [[2], null]);
    await log.close();
  });

  test('L17: a segment is read only as one of its own place', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    const { placeId } = await openedPlace(place, 0, runId);
    const log = await createdLog(place, 0, { placeId });
    await log.append([logFrame(0)]);
    await log.close();
    const { indexes, end } = await readLog(place, 0, 'another');
    t.deepEqual([indexes, end.problem], [[], 'elsewhere']);
  });
}

interface Progress {
  /** So many frames are known to be durable. */
  durable: number;
}

async function write(log: ResultLog, progress: Progress): Promise<void> {
  for (let next = 0; next < FRAMES; ) {
    const frames: Frame[] = [];
    while (frames.length < 1 + (next % 7) && next < FRAMES) frames.push(logFrame(next++));
    await log.append(frames);
    progress.durable = next;
  }
}

async function readWhile(t: ExecutionContext, place: ResultsPlace, placeId: string, progress: Progress): Promise<void> {
  while (progress.durable < FRAMES) {
    const before = progress.durable;
    const { indexes } = await readLog(place, 0, placeId);
    t.deepEqual(indexes, firstFrames(indexes.length));
    t.true(indexes.length >= before, `${indexes.length} read, ${before} durable before`);
  }
}

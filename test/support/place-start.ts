import type { ExecutionContext } from 'ava';
import { assert } from '../../runtime/base/assert.ts';
import type { ResultsPlace, SegmentWriter } from '../../runtime/results/place/contract.ts';

/** A place with nothing in it, as one process after the other reaches it. */
export interface NewPlace {
  readonly runId: string;
  /** As a process of its own, which holds this epoch from now on. */
  hold(epoch: number): Promise<ResultsPlace>;
}

/** What the place has open is let go of at the end of the test. */
export type OpenPlace = (t: ExecutionContext) => Promise<NewPlace>;

export async function writerOf(place: ResultsPlace, epoch: number, first: string): Promise<SegmentWriter> {
  const reply = await place.create(epoch, Buffer.from(first));
  assert(reply.kind === 'created', 'nobody else is there');
  return reply.writer;
}

export async function contentsOf(place: ResultsPlace, epoch: number): Promise<string> {
  const segment = await place.read(epoch);
  const bytes = Buffer.alloc(await segment.size());
  const filled = await segment.read(bytes, 0);
  await segment.close();
  return bytes.subarray(0, filled).toString();
}

import type { Epoch } from '../../model/row.ts';
import type { Locations } from './locations.ts';

/** Frames closer than this are read together: rather some bytes in vain than another call. */
const GAP_BYTES = 4096;
/** Bounds the memory of one read. */
const READ_BYTES: number = 4 * 2 ** 20;

/** Records asked for one after the other whose frames follow one another: `count` of them from number `first`. */
export interface FrameRun {
  readonly first: number;
  readonly count: number;
  readonly start: number;
}

/** A part of one segment that one read covers, and the runs in it. */
export interface ReadRange {
  readonly epoch: Epoch;
  readonly start: number;
  readonly end: number;
  readonly runs: readonly FrameRun[];
}

/** How to read these records in few calls, in the order of the log. Pure. */
export function planReads(locations: Locations): readonly ReadRange[] {
  const sorted = runsOf(locations).sort((a, b) => a.epoch - b.epoch || a.start - b.start);
  const ranges: { epoch: Epoch; start: number; end: number; runs: FrameRun[] }[] = [];
  for (const run of sorted) {
    const last = ranges.at(-1);
    const isNear =
      last !== undefined && last.epoch === run.epoch && run.start - last.end <= GAP_BYTES && run.end - last.start <= READ_BYTES;
    if (isNear) {
      last.runs.push(run);
      last.end = run.end;
    } else {
      ranges.push({ epoch: run.epoch, start: run.start, end: run.end, runs: [run] });
    }
  }
  return ranges;
}

interface OpenRun extends FrameRun {
  readonly epoch: Epoch;
  count: number;
  end: number;
}

/** Workers hold items that follow one another, so most runs are long, and little is made for each record. */
function runsOf(locations: Locations): OpenRun[] {
  const runs: OpenRun[] = [];
  let run: OpenRun | null = null;
  for (let n = 0; n < locations.count; n += 1) {
    const [epoch, start, end] = [locations.epoch(n), locations.start(n), locations.end(n)];
    if (run !== null && run.epoch === epoch && run.end === start && end - run.start <= READ_BYTES) {
      run.count += 1;
      run.end = end;
    } else {
      run = { epoch, start, end, first: n, count: 1 };
      runs.push(run);
    }
  }
  return runs;
}

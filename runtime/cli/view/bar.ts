import type { Writable } from 'node:stream';
import { type GenericFormatter, Presets, SingleBar } from 'cli-progress';
import { printable } from '../../base/printable.ts';
import { say } from '../deps.ts';

/** A line of a terminal that is drawn over: a bar and what stands beside it. */
export interface Bar<T> {
  show(done: number, total: number, payload: T): void;
  /** A line that must not be drawn over. */
  notice(line: string): void;
  stop(): void;
}

/** `textOf` makes the whole line, of the share that is done (0 to 1) and what was shown last. */
export function createBar<T>(err: Writable, textOf: (share: number, payload: T) => string): Bar<T> {
  const format: GenericFormatter = (_options, { progress }, payload: { readonly shown: T }) =>
    printable(textOf(Math.min(1, progress), payload.shown));
  const bar = new SingleBar({ stream: err, hideCursor: true, clearOnComplete: false, format, fps: 10 }, Presets.shades_classic);
  let isStarted = false;
  return {
    show: (done, total, shown) => {
      const whole = Math.max(1, total);
      if (!isStarted) bar.start(whole, done, { shown });
      isStarted = true;
      bar.setTotal(whole);
      bar.update(done, { shown });
    },
    notice: (line) => {
      // The bar draws itself again below the line.
      if (isStarted) err.write('\r\u001b[K');
      say(err, [line]);
    },
    stop: () => {
      if (isStarted) bar.stop();
    },
  };
}

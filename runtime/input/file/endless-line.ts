import { RolloutError } from '../../base/errors.ts';
import { byAdvice } from './file-encoding.ts';
import { formText, type Source } from './form-text.ts';

/**
 * A line that is too long is a bad line. One without any end would be read for ever, and a copy of it would fill the disk: so many bytes
 * without a line feed are no list of lines. 32 times the longest line.
 */
export const ENDLESS_BYTES: number = 256 * 1024 ** 2;

export function endlessLine(source: Source, bytes: number = ENDLESS_BYTES): RolloutError {
  const problem = byAdvice(
    `has ${bytes} bytes without the end of a line, and the input is one JSON object per line`,
    'look whether it is the list, or end each object with a line feed',
  );
  return new RolloutError('INPUT_FORMAT', formText(problem, source));
}

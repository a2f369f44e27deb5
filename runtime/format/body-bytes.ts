import { memberSpans } from '../base/json/json-members.ts';
import type { ItemForm } from '../model/session.ts';
import { lineContent } from './line.ts';

/** The request body as it stands in the line of an item, byte for byte: the last `body` as JSON.parse takes it, or the whole plain item. */
export function bodyBytes(line: Uint8Array, lineNumber: number, form: ItemForm): Uint8Array {
  const content = lineContent(line, lineNumber);
  if (form === 'raw') return content;
  const span = memberSpans(content, 'body').at(-1);
  return span === undefined ? content.subarray(content.length) : content.subarray(span.start, span.end);
}

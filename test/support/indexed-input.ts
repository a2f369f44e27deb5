import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { IndexSummary } from '../../runtime/input/index/index-summary.ts';
import { type IndexRequest, startIndexing } from '../../runtime/input/index/indexer.ts';
import { type InputReader, openInput } from '../../runtime/input/index/reader.ts';
import { temporaryDir } from './temporary-dir.ts';

export interface IndexedInput {
  readonly summary: IndexSummary;
  readonly reader: InputReader;
  readonly request: IndexRequest;
}

/** Writes the bytes to a file and says how to index it; nothing is started. */
export function inputFile(t: ExecutionContext, contents: string | Uint8Array, more: Partial<IndexRequest> = {}): IndexRequest {
  const dir = temporaryDir(t);
  const inputPath = join(dir, 'in.jsonl');
  writeFileSync(inputPath, contents);
  return { inputPath, dir: join(dir, 'index'), form: 'batch', maxLineBytes: 8 * 2 ** 20, ...more };
}

/** Indexes the bytes to the end, in a real thread. */
export async function indexed(t: ExecutionContext, contents: string | Uint8Array, more: Partial<IndexRequest> = {}): Promise<IndexedInput> {
  const request = inputFile(t, contents, more);
  const summary = await startIndexing(request).done;
  const reader = await openInput(request);
  t.teardown(async () => await reader.close());
  return { summary, reader, request };
}

/** Every invalid item: its line, its code and the custom_id as far as it was read. */
export async function invalidItems(
  reader: InputReader,
): Promise<readonly { line: number; code: string; customId: string | null; message: string }[]> {
  const { invalid } = await reader.survey(0, 1_000_000);
  const reasons = await Promise.all(invalid.map(async (index) => await reader.invalidReason(index)));
  return reasons.map(({ lineNumber, code, customId, message }) => ({ line: lineNumber, code, customId, message }));
}

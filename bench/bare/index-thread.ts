/** Reads the input once: where each line ends, whether it is an item, and whether its custom_id came before. */
import { hash } from 'node:crypto';
import { openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

export interface IndexTask {
  readonly input: string;
  /** Where line n begins; one entry more than there are lines. */
  readonly offsets: Float64Array;
  /** How many lines are known. */
  readonly known: Int32Array;
}

const CHUNK_BYTES = 2 ** 20;
const LINE_FEED = 10;

const { input, offsets, known } = workerData as IndexTask;
const file = openSync(input, 'r');
const seen = new Set<string>();
const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
let [position, held, lines] = [0, 0, 0];
for (;;) {
  const read = readSync(file, buffer, held, CHUNK_BYTES - held, position + held);
  held += read;
  const used = indexLines(buffer.subarray(0, held));
  Atomics.store(known, 0, lines);
  buffer.copyWithin(0, used, held);
  position += used;
  held -= used;
  if (read === 0) break;
}
parentPort?.postMessage('indexed');

/** How many bytes were whole lines. */
function indexLines(bytes: Buffer): number {
  let at = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, at)) {
    const line = bytes.subarray(at, end);
    check(line);
    hash('sha256', line, 'buffer');
    at = end + 1;
    lines += 1;
    offsets[lines] = position + at;
  }
  return at;
}

function check(line: Buffer): void {
  const { custom_id: customId } = JSON.parse(line.toString('utf8')) as { readonly custom_id?: unknown };
  if (typeof customId !== 'string' || seen.has(customId)) throw new Error(`line ${lines + 1} is no item, or one that came before`);
  seen.add(customId);
}

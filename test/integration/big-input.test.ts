import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { batchLine } from '../support/batch-lines.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

const MIB = 2 ** 20;
const INPUT_BYTES = 2 * 2 ** 30;
/** Of the whole process, in which Node itself and its modules take about 80 MiB. */
const PEAK_LIMIT_MIB = 256;
const ID_BYTES = 12;

/** Writes lines of about 1 KiB until the file is large enough; only their custom_ids differ. Returns their number. */
function writeLines(descriptor: number, bytes: number): number {
  const template = Buffer.from(`${batchLine('0'.repeat(ID_BYTES), 'lorem ipsum '.repeat(75))}\n`);
  const idAt = template.indexOf('0'.repeat(ID_BYTES));
  const block = Buffer.concat(Array.from({ length: 1024 }, () => template));
  let lines = 0;
  for (let written = 0; written < bytes; written += block.length) {
    for (let at = 0; at < block.length; at += template.length) {
      lines += 1;
      // Far apart from one another, as a list with gaps has them.
      block.write(String(lines * 7919).padStart(ID_BYTES, '0'), at + idAt, 'latin1');
    }
    writeSync(descriptor, block);
  }
  return lines;
}

test('a 2 GB input is indexed within a fixed bound of memory, and an equal custom_id 2 GB later is found', async (t) => {
  t.timeout(600_000);
  const dir = temporaryDir(t);
  const inputPath = join(dir, 'in.jsonl');
  const descriptor = openSync(inputPath, 'w');
  const lines = writeLines(descriptor, INPUT_BYTES);
  writeSync(descriptor, `${batchLine(String(7919).padStart(ID_BYTES, '0'))}\n\nnot JSON\n`);
  writeSync(descriptor, Buffer.alloc(16 * MIB, 'x'));
  closeSync(descriptor);

  const child = fileURLToPath(new URL('../support/index-once.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [child, inputPath, join(dir, 'index')], { maxBuffer: MIB });
  const { summary, invalid, peakMib } = JSON.parse(stdout);
  t.log(`peak ${peakMib} MiB for ${lines} lines`);
  t.like(summary, { items: lines + 3, invalid: 3, blankLines: 1, hashedBytes: statSync(inputPath).size });
  t.deepEqual(
    invalid.map(({ line, code }: { line: number; code: string }) => [line, code]),
    [
      [lines + 1, 'duplicate_custom_id'],
      [lines + 3, 'invalid_json'],
      [lines + 4, 'line_too_long'],
    ],
  );
  t.regex(invalid[0].message, /on line 1:/);
  t.true(peakMib < PEAK_LIMIT_MIB, `${peakMib} MiB`);
});

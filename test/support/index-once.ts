import { readFileSync } from 'node:fs';
import process from 'node:process';
import { startIndexing } from '../../runtime/input/index/indexer.ts';
import { openInput } from '../../runtime/input/index/reader.ts';

/** Run as a process: indexes argv[2] into argv[3], reads the index once through, and prints what it found and its own peak memory. */
const [, , inputPath = '', dir = ''] = process.argv;

const request = { inputPath, dir, form: 'batch' as const, maxLineBytes: 8 * 2 ** 20 };
const summary = await startIndexing(request).done;
const reader = await openInput(request);
const invalid: { readonly line: number; readonly code: string; readonly message: string }[] = [];
for (let from = 0; from < summary.items; ) {
  const survey = await reader.survey(from, 100_000);
  for (const index of survey.invalid) {
    const { lineNumber, code, message } = await reader.invalidReason(index);
    invalid.push({ line: lineNumber, code, message });
  }
  from = survey.upTo;
}
await reader.close();
const peakKib = Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+) kB/)?.[1]);
process.stdout.write(JSON.stringify({ summary, invalid, peakMib: Math.round(peakKib / 1024) }));

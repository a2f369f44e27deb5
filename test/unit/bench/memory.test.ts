import test from 'ava';
import { memoryFigures, parseMappedBytes } from '../../../bench/memory.ts';

const MIB = 2 ** 20;

test('what memory is made of adds up to all of it', (t) => {
  const report = { rss: 200 * MIB, heapTotal: 50 * MIB, external: 30 * MIB, mapped: 70 * MIB };
  t.deepEqual(memoryFigures(report), { peakRssMiB: 200, heapMiB: 50, bufferMiB: 30, mappedMiB: 70, otherMiB: 50 });
  t.is(memoryFigures({ ...report, rss: 100 * MIB }).otherMiB, 0, 'a heap may be larger than what is in memory of it');
  t.deepEqual(memoryFigures(undefined), {});
});

test('mapped files are read from the status file', (t) => {
  t.is(parseMappedBytes('VmRSS:\t  200 kB\nRssAnon:\t  100 kB\nRssFile:\t   72 kB\nRssShmem:\t 1 kB\n'), 72 * 1_024);
});

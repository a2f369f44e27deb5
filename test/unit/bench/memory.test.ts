import test from 'ava';
import { earlyFigures, memoryFigures, parseMappedBytes, parseRssBytes } from '../../../bench/memory.ts';

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

test('all pages of a process in memory are read from its status', (t) => {
  t.is(parseRssBytes('Name:\tnode\nVmRSS:\t  2048 kB\nRssFile:\t 1024 kB\n'), 2 * 2 ** 20);
  t.is(parseRssBytes(''), 0);
});

test('the memory of the first tenth of a list is the highest while so few items were done; none where nobody looked then', (t) => {
  const mib = 2 ** 20;
  const samples = [
    { done: 0, rss: 90 * mib },
    { done: 10, rss: 80 * mib },
    { done: 11, rss: 200 * mib },
  ];
  t.deepEqual(earlyFigures(samples, 100), { earlyRssMiB: 90 });
  t.deepEqual(earlyFigures(samples.slice(2), 100), {});
});

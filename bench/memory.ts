import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './contract.ts';

/** What a process said of its memory, in bytes, when its RSS was highest. */
export interface MemoryReport {
  readonly rss: number;
  readonly heapTotal: number;
  /** Of objects that JavaScript holds outside its heap; array buffers are among them. */
  readonly external: number;
  readonly mapped: number;
}

export const MIB: number = 2 ** 20;

export function memoryFile(pid: number): string {
  return `${pid}.json`;
}

export function readMemory(dir: string, pid: number): MemoryReport {
  return JSON.parse(readFileSync(join(dir, memoryFile(pid)), 'utf8')) as MemoryReport;
}

/** Of `/proc/<pid>/status`: the pages of files that are in memory. */
export function parseMappedBytes(status: string): number {
  const kib = /^RssFile:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kib ?? 0) * 1_024;
}

/** Of `/proc/<pid>/status`: all pages that are in memory. */
export function parseRssBytes(status: string): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kib ?? 0) * 1_024;
}

/** How much memory a process had when so many items were done. */
export interface RssSample {
  readonly done: number;
  readonly rss: number;
}

/** The highest RSS within the first tenth of the list: what comes after it in a process whose memory is flat is not much more. */
export function earlyFigures(samples: readonly RssSample[], items: number): Figures {
  const early = samples.filter(({ done }) => done * 10 <= items).map(({ rss }) => rss);
  return early.length === 0 ? {} : { earlyRssMiB: Math.max(...early) / MIB };
}

/** The rest is what the allocator has for native code, threads' heaps and stacks included. */
export function memoryFigures(report: MemoryReport | undefined): Figures {
  if (report === undefined) return {};
  const { rss, heapTotal, external, mapped } = report;
  return {
    peakRssMiB: rss / MIB,
    heapMiB: heapTotal / MIB,
    bufferMiB: external / MIB,
    mappedMiB: mapped / MIB,
    otherMiB: Math.max(0, rss - heapTotal - external - mapped) / MIB,
  };
}

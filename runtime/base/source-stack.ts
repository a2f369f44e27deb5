import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Stack traces of the built tree name the sources. scripts/build.ts puts this before each entry. Node's own source maps
 * (`--enable-source-maps`) are read and measured at each start; these are read when a stack is first looked at.
 */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

const maps = new Map<string, SourceMap | null>();

/** Node's types leave this out: a frame's text is a line of the trace. */
interface Frame {
  getFunctionName(): string | null;
  toString(): string;
}

/**
 * Where grpc-js makes the stacks of each call that fails or is cancelled. Nobody reads them, since a call's failure is a value here, and
 * a map that was read for them cost each client of a short run up to a tenth of its time.
 */
const UNREAD: ReadonlySet<string | null> = new Set(['makeUnaryRequest', 'makeBidiStreamRequest', 'callErrorFromStatus']);

Error.prepareStackTrace = (error, frames: readonly Frame[]) => {
  const isUnread = frames[0] !== undefined && UNREAD.has(frames[0].getFunctionName());
  const lines = frames.map((frame) => `    at ${isUnread ? frame.toString() : inSource(frame.toString())}`);
  return [Error.prototype.toString.call(error), ...lines].join('\n');
};

function inSource(frame: string): string {
  return frame.replace(PLACE, (place: string, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    return `${fileURLToPath(new URL(entry.originalSource, url))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(url: string): SourceMap | null {
  const known = maps.get(url);
  if (known !== undefined) return known;
  const map = readMap(`${fileURLToPath(url)}.map`);
  maps.set(url, map);
  return map;
}

/** Null where there is none: then the trace names the built file. */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

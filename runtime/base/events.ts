import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { EventKind, EventLevel, RunEvent } from '../model/event.ts';
import type { Clock, Timer } from './clock.ts';
import { RolloutError } from './errors.ts';
import type { Log } from './log.ts';

/** Where the run says what happens to it. Emitting never throws and never waits: an event that cannot be written is lost, the run goes on. */
export interface Events {
  emit(event: RunEvent): void;
  /** Writes what is still waiting, for at most a second, and lets go of the file. */
  close(): Promise<void>;
}

export interface EventsOptions {
  readonly to: 'stdout' | 'none' | (string & {});
  readonly runId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The level of each kind: model/event.ts has the table. */
  readonly levels: Readonly<Record<EventKind, EventLevel>>;
  /** The lowest level that is written; `debug` brings the heartbeats. */
  readonly level?: EventLevel;
}

const STDOUT_FD = 1;
const NEWLINE = 0x0a;
const RANK: Readonly<Record<EventLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createEvents(options: EventsOptions): Events {
  const { to, runId, clock, levels } = options;
  const lines = to === 'none' ? null : openLines(to, clock, options.log);
  const lowest = RANK[options.level ?? 'info'];
  return {
    emit: (event) => {
      const level = levels[event.kind];
      if (RANK[level] < lowest) return;
      const { kind, ...fields } = event;
      lines?.write(JSON.stringify({ ts: new Date(clock.wallMs()).toISOString(), level, kind, runId, ...fields }));
    },
    close: async () => {
      await lines?.close();
    },
  };
}

interface Lines {
  write(line: string): void;
  close(): Promise<void>;
}

/** How soon a pipe whose reader is slow is tried again: nobody notices the delay, and fifty tries a second cost nothing. */
const RETRY_MS = 20;
/** A reader that does not take the last events within this has stopped reading, and must not keep the process from ending. */
const CLOSE_MS = 1_000;
/** A reader that stopped reading must not fill the memory: beyond this, events are dropped and that is said once. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Whole lines to a file descriptor, in order. A pipe may take a part of a line or nothing (EAGAIN): the rest waits in front of
 * all later lines, so lines never mix. After a failure a line may be torn; the next one then starts with a line end.
 */
function openLines(to: string, clock: Clock, log: Log): Lines {
  const fd = to === 'stdout' ? STDOUT_FD : openToAppend(to);
  let waiting: Buffer = Buffer.alloc(0);
  let isTorn = to !== 'stdout' && endsInsideLine(fd);
  let isFailureTold = false;
  let retry: Timer | null = null;

  const fail = (error: unknown): void => {
    isTorn = true;
    waiting = Buffer.alloc(0);
    if (isFailureTold) return;
    isFailureTold = true;
    log.warn({ err: error, to }, 'events are being lost: free disk space, or keep the reader of the events alive');
  };
  const flush = (): void => {
    retry = null;
    try {
      waiting = writeSome(fd, waiting);
    } catch (error) {
      fail(error);
    }
    if (waiting.length > 0) retry = clock.after(RETRY_MS, flush);
  };
  return {
    write: (line) => {
      if (waiting.length > MAX_WAITING_BYTES) return fail(new Error('the reader of the events does not read'));
      waiting = Buffer.concat([waiting, Buffer.from(`${isTorn ? '\n' : ''}${line}\n`)]);
      isTorn = false;
      if (retry === null) flush();
    },
    close: async () => {
      const untilMs = clock.monotonicMs() + CLOSE_MS;
      while (waiting.length > 0 && clock.monotonicMs() < untilMs) await clock.sleep(RETRY_MS);
      retry?.stop();
      if (fd !== STDOUT_FD) closeSync(fd);
    },
  };
}

function openToAppend(path: string): number {
  try {
    return openSync(path, 'a+');
  } catch (error) {
    throw new RolloutError(
      'CONFIG_INVALID',
      `cannot write events to ${path}: give the setting \`events\` a path in a directory that is there`,
      { cause: error },
    );
  }
}

/** Writes until all is written or the descriptor takes no more now; answers the rest. */
function writeSome(fd: number, bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return rest;
      throw error;
    }
  }
  return rest;
}

/** Whether a process that died left half a line at the end of the file. */
function endsInsideLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0 || !fstatSync(fd).isFile()) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== NEWLINE;
}

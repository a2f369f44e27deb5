import { type Logger, pino } from 'pino';

export type Log = Logger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Fields that may hold a secret; their values never reach a log line. An error of a client may carry its `command`, with its arguments. */
const SECRET_PATHS = ['apiKey', 'headers', 'authorization', '*.apiKey', '*.headers', '*.authorization', '*.command'];

/** Lines that a full disk refuses wait for it to have space again; beyond this they are dropped, so that they do not fill the memory. */
const MAX_WAITING_BYTES: number = 2 ** 20;

/** Logs to stderr, synchronously, so that the last line before an exit is not lost. Logging never throws. */
export function createLog(role: string, level: LogLevel): Log {
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING_BYTES });
  // Without a listener a log on a full disk would end the process that only wants to say so.
  stderr.on('error', () => undefined);
  return pino({ level, base: { role }, redact: { paths: SECRET_PATHS, censor: '[secret]' } }, stderr);
}

export const silentLog: Log = pino({ level: 'silent' });

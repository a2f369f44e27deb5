import { type Logger, pino } from 'pino';

export type Log = Logger;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Fields that may hold a secret; their values never reach a log line. */
const SECRET_PATHS = ['apiKey', 'headers', 'authorization', '*.apiKey', '*.headers', '*.authorization'];

/** Logs to stderr, synchronously, so that the last line before an exit is not lost. */
export function createLog(role: string, level: LogLevel): Log {
  return pino({ level, base: { role }, redact: { paths: SECRET_PATHS, censor: '[secret]' } }, pino.destination({ dest: 2, sync: true }));
}

export const silentLog: Log = pino({ level: 'silent' });

import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isSupervised } from './supervised.ts';

/** Signs that SIGHUP was ignored when this process was started. */
export interface StartSigns {
  /** `_` of the environment: bash, zsh and ksh set it to the command that they start. */
  readonly command: string | undefined;
  /** `/proc/<parent>/status`; a script that ignores the signal passes that on. */
  readonly parentStatus: string | null;
  /** What standard input is, and how it is open (`/proc/self/fdinfo/0`): nohup replaces a terminal with /dev/null, open for writing. */
  readonly stdin: { readonly target: string; readonly info: string } | null;
}

/**
 * Node resets an ignored SIGHUP to its default before any JavaScript runs, so the system cannot be asked. These signs together detect
 * `nohup` as people use it.
 */
export function isStartedIgnoring({ command, parentStatus, stdin }: StartSigns): boolean {
  if (basename(command ?? '') === 'nohup') return true;
  if (parentStatus !== null && ignoresHangup(parentStatus)) return true;
  return stdin !== null && stdin.target === '/dev/null' && isWriteOnly(stdin.info);
}

/** SIGHUP is signal 1, the lowest bit of the mask. */
function ignoresHangup(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
}

/** The access mode is in the two lowest bits of the flags, which are octal. */
function isWriteOnly(info: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags.slice(-1), 8) & 3) === 1;
}

/**
 * The signals that ask this process to end. SIGHUP is not one of them if it was ignored at the start, or if this process is a child of
 * `rollout run`, which ends its children itself; from here on it is then ignored.
 */
export function endSignals(): readonly NodeJS.Signals[] {
  if (!isSupervised() && !isStartedIgnoring(startSigns())) return ['SIGINT', 'SIGTERM', 'SIGHUP'];
  process.on('SIGHUP', () => undefined);
  return ['SIGINT', 'SIGTERM'];
}

function startSigns(): StartSigns {
  const [target, info] = [ifRead(() => readlinkSync('/proc/self/fd/0')), ifRead(() => readFileSync('/proc/self/fdinfo/0', 'utf8'))];
  return {
    command: process.env['_'],
    parentStatus: ifRead(() => readFileSync(`/proc/${process.ppid}/status`, 'utf8')),
    stdin: target === null || info === null ? null : { target, info },
  };
}

/** Null on systems without /proc. */
function ifRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

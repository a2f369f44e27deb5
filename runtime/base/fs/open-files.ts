import { readFileSync } from 'node:fs';

/** How many files and sockets this process may have open: Node raises the soft limit to the hard one. Null if unknown. */
export function openFilesLimit(): number | null {
  try {
    return limitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return null;
  }
}

/** proc(5): name, soft limit, hard limit, unit. */
export function limitIn(text: string): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? null : Number(soft);
}

/** The system's own error, from any call. */
export function isOutOfFiles(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export const RAISE_LIMIT = 'raise the limit (`ulimit -n 1024`) and give the same command again';

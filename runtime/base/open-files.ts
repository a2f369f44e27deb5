import { readFileSync } from 'node:fs';

/** How many files, sockets included, this process may have open: Node raises the soft limit to the hard one. Null where no file tells. */
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

/** What the system itself says of it, whichever call met the limit. */
export function isOutOfFiles(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export const RAISE_LIMIT = 'raise the limit (`ulimit -n 1024`) and give the same command again';

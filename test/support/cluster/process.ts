import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** The processes of a cluster of this machine are seen from outside, in whatever namespaces they are. */

/** `words`: of its command line or its environment, as `NAME=value`. Throws where there is none. */
export function pidOf(...words: readonly string[]): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const all = [...wordsIn(`/proc/${pid}/cmdline`), ...wordsIn(`/proc/${pid}/environ`)];
    if (words.every((word) => all.includes(word))) return Number(pid);
  }
  throw new Error(`no process with ${words.join(' ')} is seen on this machine`);
}

export function killProcess(...words: readonly string[]): void {
  process.kill(pidOf(...words), 'SIGKILL');
}

/** What it has in memory, in bytes. */
export function residentBytes(pid: number): number {
  const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}

/** It may have ended meanwhile. */
function wordsIn(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}

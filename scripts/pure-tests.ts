import { importsOf, onlyCode, readText } from '../test/style/sources.ts';

/** Packages that compute and do nothing else. */
const PURE_PACKAGES = new Set(['ava', 'fast-check', 'node:buffer', 'node:crypto', 'node:path', 'node:url', '@bufbuild/protobuf', 'zod']);
/** Time, processes, and what is shared by all that runs in a process. */
const REACHING = /\bprocess\.|(?<![.\w])set(?:Timeout|Interval|Immediate)\b|\bglobalThis\b|\bimport\.meta\b/;

/** What a test file may do to the process that it runs in, or to what all tests of the process share. */
const PROCESS_WIDE =
  /\bprocess\.(?:argv|chdir|emit|env|exit|kill|memoryUsage|on|once|listenerCount|send|stdout|stderr|umask)\b|\bglobalThis\b|\btest\.(?:before|after)/;
/** ava takes no test that is declared after a wait. */
const WAITS_AT_LOAD = /^(?:(?:const|let) [^=\n]+= )?await\b/m;
/** Their subject is the process itself, or time that they measure while nothing else happens. */
const OF_A_PROCESS = ['test/unit/base/process/', 'test/unit/base/fs/process-lock', 'test/unit/scripts/leftovers'];

/** Test files that leave their process as it was: they may share one, one test after the other. */
export function tidyTests(files: readonly string[]): readonly string[] {
  return files.filter((file) => {
    const code = onlyCode(readText(file) ?? '');
    return !OF_A_PROCESS.some((start) => file.startsWith(start)) && !PROCESS_WIDE.test(code) && !WAITS_AT_LOAD.test(code);
  });
}

/** Test files that only compute, and so may share a process: they, and all that they import, use nothing that reaches out of it. */
export function pureTests(files: readonly string[]): readonly string[] {
  const known = new Map<string, boolean>();
  return files.filter((file) => isPure(file, known));
}

function isPure(path: string, known: Map<string, boolean>): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  known.set(path, true); // For a cycle of imports: what decides is outside of it.
  const text = readText(path);
  const isIt = text !== undefined && !REACHING.test(onlyCode(text)) && importsOf({ path, text }).every((one) => mayImport(one, known));
  known.set(path, isIt);
  return isIt;
}

function mayImport({ of, isType }: { readonly of: string; readonly isType: boolean }, known: Map<string, boolean>): boolean {
  return isType || PURE_PACKAGES.has(of) || (of.endsWith('.ts') && isPure(of, known));
}

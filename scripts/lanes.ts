import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Two lanes, since the tests are made for two cores: what runs within a process, and what starts processes of its own and
 * measures them, one test after the other.
 */
export interface LanePlan {
  readonly name: string;
  readonly files: readonly string[];
  readonly isSerial: boolean;
}

/** Folders of test/ whose tests start processes. Every other folder is in the first lane, so no test file can be forgotten. */
const PROCESS_FOLDERS = ['integration', 'e2e'];

/** `given`: test files and folders of them; none means all. */
export function planLanes(given: readonly string[]): readonly LanePlan[] {
  const files = (given.length === 0 ? ['test'] : given).flatMap(testFilesIn).toSorted();
  const startsProcesses = (file: string): boolean => PROCESS_FOLDERS.includes(file.split('/')[1] ?? '');
  const lanes: LanePlan[] = [
    { name: 'inside', files: files.filter((file) => !startsProcesses(file)), isSerial: false },
    { name: 'processes', files: files.filter(startsProcesses), isSerial: true },
  ];
  return lanes.filter((lane) => lane.files.length > 0);
}

function testFilesIn(path: string): readonly string[] {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return [];
  if (!there.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(path, name));
}

const SEPARATOR = ' › ';

/**
 * The file that a TAP title belongs to. ava puts the file's path before the title, without the folders that all files of the run
 * share, and without the endings; of a single file it puts nothing.
 */
export function fileOfTitle(title: string, files: readonly string[]): { readonly file: string | null; readonly title: string } {
  if (files.length === 1) return { file: files[0] ?? null, title };
  let best: { file: string | null; title: string } = { file: null, title };
  for (const file of files) {
    const parts = file.replace(/\.test\.ts$/, '').split('/');
    for (let from = 0; from < parts.length; from++) {
      const prefix = parts.slice(from).join(SEPARATOR) + SEPARATOR;
      if (title.startsWith(prefix) && title.length - prefix.length < best.title.length) best = { file, title: title.slice(prefix.length) };
    }
  }
  return best;
}

/** Titles written down in a test file; one that is put together when it runs is not found. */
export function titlesIn(file: string): readonly string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/^\s*test(?:\.\w+)*\(\s*(['"`])(.+?)\1/gm);
  return [...calls].map((call) => call[2] ?? '');
}

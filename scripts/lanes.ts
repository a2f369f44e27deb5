import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files that one `ava` runs, one file after the other; serial: the tests within a file too. */
export interface LanePlan {
  readonly name: string;
  readonly files: readonly string[];
  readonly isSerial: boolean;
}

interface Lane {
  readonly name: string;
  /** A folder of test/; null for all that no other lane names. */
  readonly folder: string | null;
  /** Which of the folder's files, in the order of their names; all where it is left out. */
  readonly takes?: (nth: number) => boolean;
}

/** Of three files of whole runs, the slot that has everything else as well takes one: so both end at about the same time. */
const isThird = (nth: number): boolean => nth % 3 === 2;

/**
 * What runs side by side, made for two cores: whole runs of many processes on one, and on the other everything within a process,
 * followed by what starts a few, and then by whole runs too. Every folder of test/ that is not named is in the first lane, so no
 * test file can be forgotten.
 */
const SLOTS: readonly (readonly Lane[])[] = [
  [
    { name: 'inside', folder: null },
    { name: 'processes', folder: 'integration' },
    { name: 'further runs', folder: 'e2e', takes: isThird },
  ],
  [{ name: 'runs', folder: 'e2e', takes: (nth) => !isThird(nth) }],
];
const NAMED_FOLDERS = SLOTS.flat().map((lane) => lane.folder);

/** `given`: test files and folders of them; none means all. The lanes of an inner list run one after the other. */
export function planSlots(given: readonly string[]): readonly (readonly LanePlan[])[] {
  const files = (given.length === 0 ? ['test'] : given).flatMap(testFilesIn).toSorted();
  return SLOTS.map((lanes) => lanes.map((lane) => planOf(lane, files)).filter((plan) => plan.files.length > 0));
}

function planOf({ name, folder, takes = () => true }: Lane, files: readonly string[]): LanePlan {
  const own = files.filter((file) => namedFolderOf(file) === folder);
  return { name, files: own.filter((_, nth) => takes(nth)), isSerial: folder !== null };
}

function namedFolderOf(file: string): string | null {
  const folder = file.split('/')[1] ?? '';
  return NAMED_FOLDERS.includes(folder) ? folder : null;
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

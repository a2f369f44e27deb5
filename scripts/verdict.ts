import type { Took } from './lane.ts';
import type { FileResult, LaneResult } from './lane-report.ts';

/** What a run of the tests comes to. */
export interface Verdict {
  readonly passed: number;
  readonly failures: readonly string[];
  /** Failed, and passed when the file was run once more alone. */
  readonly flaky: readonly string[];
}

/** More than so many failed files are no bad luck, and to run all of them again would double the time. */
export const MOST_REPEATED = 8;

/** Files of process tests that have failed: they are run once more, alone. What runs within a process has no excuse. */
export function filesToRepeat(results: readonly FileResult[]): readonly string[] {
  const failed = results.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
  return failed.length > MOST_REPEATED ? [] : failed;
}

/** `again`: of the files that were run once more; this result counts, and not the first. */
export function verdictOf(lanes: readonly LaneResult[], again: readonly FileResult[]): Verdict {
  const first = lanes.flatMap((lane) => lane.files);
  const second = new Map(again.map((result) => [result.file, result]));
  const counted = first.map((result) => second.get(result.file) ?? result);
  const recovered = first.filter(({ file }) => second.get(file)?.failures.length === 0);
  return {
    passed: counted.reduce((sum, { passed }) => sum + passed, 0),
    failures: [...lanes.flatMap((lane) => lane.failures), ...counted.flatMap(titled)],
    flaky: recovered.flatMap(titled),
  };
}

/** Both results of a file that was run twice, as a line. */
export function bothResults(first: FileResult, second: FileResult): string {
  return `run twice: ${first.file}: first ${countsOf(first)}; alone ${countsOf(second)}`;
}

type TookByFile = ReadonlyMap<string, Took>;

/** The files that took longest, as lines. */
export function slowest(took: TookByFile, count: number): readonly string[] {
  return most(took, count, 'wallMs').map(([file, of]) => `slow: ${seconds(of.wallMs)} s, ${seconds(of.cpuMs)} s of CPU  ${file}`);
}

/** The CPU time of all files of a folder, and the files that took most of it, as lines. */
export function costliest(took: TookByFile, count: number): readonly string[] {
  const folders = new Map<string, number>();
  for (const [file, { cpuMs }] of took) folders.set(folderOf(file), (folders.get(folderOf(file)) ?? 0) + cpuMs);
  const byFolder = [...folders].toSorted(([, a], [, b]) => b - a);
  return [...byFolder, ...most(took, count, 'cpuMs').map(([file, { cpuMs }]) => [file, cpuMs] as const)].map(
    ([name, cpuMs]) => `CPU: ${seconds(cpuMs)} s  ${name}`,
  );
}

function most(took: TookByFile, count: number, by: keyof Took): readonly (readonly [file: string, of: Took])[] {
  return [...took].toSorted(([, a], [, b]) => b[by] - a[by]).slice(0, count);
}

/** `test/unit` and the like. */
function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0).padStart(4);
}

function countsOf({ passed, failures }: FileResult): string {
  return `${passed} passed, ${failures.length} failed`;
}

function titled({ file, failures }: FileResult): readonly string[] {
  return failures.map((failure) => `${file} › ${failure}`);
}

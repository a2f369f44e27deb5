/** What a file depends on at run time, as paths of this project. */
export type ImportsOf = (path: string) => readonly string[];

/**
 * The tests that a change can break within one process: all of the house style, and those that are changed themselves or that import a changed
 * file, directly or through others. Tests of processes take minutes, and are not among them.
 */
export function testsOfChange(changed: readonly string[], tests: readonly string[], importsOf: ImportsOf): readonly string[] {
  const touched = new Set([...changed, ...changed.flatMap(mirrorOf)]);
  return tests.filter((test) => test.startsWith('test/style/') || reaches(test, touched, importsOf));
}

/** A test may start the file that it is about as a program of its own, and then imports nothing of it. */
function mirrorOf(path: string): readonly string[] {
  const [, inner] = /^(?:runtime\/)?(.+)\.ts$/.exec(path) ?? [];
  return inner === undefined ? [] : [`test/unit/${inner}.test.ts`];
}

function reaches(test: string, touched: ReadonlySet<string>, importsOf: ImportsOf): boolean {
  const seen = new Set([test]);
  for (const path of seen) {
    if (touched.has(path)) return true;
    for (const one of importsOf(path)) seen.add(one);
  }
  return false;
}

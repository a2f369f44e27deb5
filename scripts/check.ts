/**
 * `make check`: the gates, and the tests that a change can break within one process. The change is what differs from the branch `main`, or
 * from BASE, in commits, in the tree, and in new files.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { importsOf, readText } from '../test/style/sources.ts';
import { testsOfChange } from './changed-tests.ts';
import { GATES, runGates } from './gates.ts';
import { testFilesIn } from './lanes.ts';

const FOLDERS = ['test/unit', 'test/style', 'test/contract'];

const base = process.env['BASE'] ?? 'main';
const changed = [...new Set([...git('diff', '--name-only', `${base}...HEAD`), ...git('diff', '--name-only', 'HEAD'), ...newFiles()])];
const gates = await runGates(GATES);
const tests = testsOfChange(changed, FOLDERS.flatMap(testFilesIn), ownImports);
process.stdout.write(`${changed.length} files differ from ${base}; ${tests.length} test files are run\n`);
const { status } = spawnSync(process.execPath, ['scripts/run-tests.ts', ...tests], { stdio: 'inherit' });
const failed = gates.filter(({ isPassed }) => !isPassed).map(({ name }) => name);
process.stdout.write(
  `${gates.length - failed.length} gates passed, ${failed.length} failed${failed.map((name) => `: ${name}`).join('')}\n`,
);
process.exitCode = status === 0 && failed.length === 0 ? 0 : 1;

function newFiles(): readonly string[] {
  return git('ls-files', '--others', '--exclude-standard');
}

function git(...args: readonly string[]): readonly string[] {
  return execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

/** The types of a file are checked by a gate, so a test does not depend on what it imports as a type. */
function ownImports(path: string): readonly string[] {
  const text = path.endsWith('.ts') ? readText(path) : undefined;
  return text === undefined ? [] : importsOf({ path, text }).flatMap(({ of, isType }) => (isType ? [] : [of]));
}

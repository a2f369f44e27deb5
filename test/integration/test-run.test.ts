import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';
import { Lane } from '../../scripts/lane.ts';
import type { FileResult } from '../../scripts/lane-report.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

/** Test files with habits, as ava runs them: in the order of their names. */
const HABITS: Readonly<Record<string, string>> = {
  'a-fine': "test('fine', (t) => t.pass());",
  'b-crashes': "test('before', (t) => t.pass()); test('crashes', () => process.kill(process.pid, 'SIGKILL'));",
  'c-exits': "test('before', (t) => t.pass()); test('exits', () => process.exit(0)); test('behind', (t) => t.pass());",
  'd-empty': 'export const kept = test;',
  'e-fine': "test('fine', (t) => t.pass());",
  'f-hangs': "test('before', (t) => t.pass()); test('hangs', () => new Promise(() => setInterval(() => {}, 1_000)));",
  'g-fails-at-load': "test('never', (t) => t.pass()); throw new Error('at load');",
  'h-throws-later': "test('throws', async () => { setTimeout(() => { throw new Error('later'); }); await new Promise(() => {}); });",
  'i-fine': "test('fine', (t) => t.pass()); test('wrong', (t) => t.is(1, 2));",
};

function folderOfHabits(dir: string): readonly string[] {
  mkdirSync(join(dir, 'test'));
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
  const config = { files: ['test/**/*.test.ts'], extensions: { ts: 'module' }, timeout: '15s', workerThreads: false };
  writeFileSync(join(dir, 'ava.config.js'), `export default ${JSON.stringify(config)};`);
  return Object.entries(HABITS).map(([name, body]) => {
    const file = `test/${name}.test.ts`;
    writeFileSync(join(dir, file), `import test from 'ava';\n${body}\n`);
    return file;
  });
}

test('no file of a run is lost, whatever the files before it do: crash, leave, register nothing, hang, fail at load', async (t) => {
  t.timeout(600_000);
  const cwd = temporaryDir(t);
  const files = folderOfHabits(cwd);
  const said: string[] = [];
  const lane = new Lane({ name: 'habits', files, isSerial: true, isTogether: false }, { cwd, write: (text) => said.push(text) });
  const { files: results, failures } = await lane.run();

  t.deepEqual(failures, []);
  t.deepEqual(
    results.map(({ file }) => file),
    files,
  );
  const of = (name: string): FileResult | undefined => results.find(({ file }) => file === `test/${name}.test.ts`);
  for (const name of ['a-fine', 'e-fine']) t.like(of(name), { passed: 1, failures: [] }, name);
  t.deepEqual(of('i-fine')?.failures, ['wrong']);
  t.regex(lane.reasons().get('test/i-fine.test.ts › wrong')?.join('\n') ?? '', /1[\s\S]*2/, 'the two that differ');
  for (const name of ['b-crashes', 'c-exits', 'f-hangs']) t.true((of(name)?.failures.length ?? 0) > 0, name);
  t.regex(of('b-crashes')?.failures.join() ?? '', /SIGKILL/);
  t.regex(of('d-empty')?.failures.join() ?? '', /No tests found/);
  t.regex(of('g-fails-at-load')?.failures.join() ?? '', /at load/);
  t.regex(of('h-throws-later')?.failures.join() ?? '', /later/);
  t.true(
    said.some((line) => line.includes('FAILED test/f-hangs.test.ts')),
    said.join(''),
  );
});

test('a lane that is stopped counts the files that were not run', async (t) => {
  t.timeout(600_000);
  const cwd = temporaryDir(t);
  const files = folderOfHabits(cwd).filter((file) => /[ei]-/.test(file));
  const lane = new Lane({ name: 'stopped', files, isSerial: true, isTogether: false }, { cwd, write: (text) => t.log(text) });
  lane.stop();
  const { files: results } = await lane.run();
  t.deepEqual(
    results.map(({ failures }) => failures),
    files.map(() => ['nothing was heard of it']),
  );
});

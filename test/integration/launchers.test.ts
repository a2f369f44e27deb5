import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startCommand } from '../support/command.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** A module that is loaded before the process's own, and fails behind its back once it is up. */
const BUG = `const timer = setInterval(() => {
  if (process.listenerCount('uncaughtException') === 0) return;
  clearInterval(timer);
  throw new Error('a planted bug');
}, 20);`;

test('a bug ends a process with 70 and is shown, and never reads as a run that is done', async (t) => {
  t.timeout(300_000);
  const dir = scratch(t);
  const input = join(dir, 'in.jsonl');
  const config = join(dir, 'c.yaml');
  writeFileSync(input, '{}\n');
  // No disk has so much room: it waits until the bug comes.
  writeFileSync(config, JSON.stringify({ input, output: join(dir, 'out.jsonl'), raw: true, http: 'none', minFreeSpace: '4000000GiB' }));
  const command = startCommand('coordinator', ['--config', config], { cwd: dir, env: preloaded(BUG) });
  await until('it ends', PATIENCE_MS, () => command.hasExited());
  t.is(await command.exited, 70);
  t.regex(command.stderr(), /Error: a planted bug/);
});

test('a stack trace of a bug names lines of the sources, not of the built files', async (t) => {
  const command = startCommand('cli', ['version'], {
    cwd: scratch(t),
    env: preloaded("process.stdout.write = () => { throw new Error('planted'); };"),
  });
  t.is(await command.exited, 70);
  t.regex(command.stderr(), /Error: planted\n(?:.*\n)*? *at version \(.*\/runtime\/cli\/verbs\/version\.ts:\d+:\d+\)/);
  t.notRegex(command.stderr(), /\/dist\//);
});

test('a launcher on an old Node says which one is needed', async (t) => {
  const command = startCommand('worker', ['--help'], {
    cwd: scratch(t),
    env: preloaded("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.9.0' } });"),
  });
  t.is(await command.exited, 2);
  t.is(command.stderr(), 'rollout: Node 20.9.0 is too old: install Node 20.19 or later\n');
});

test('a launcher without the built tree says how to build it', (t) => {
  const dir = scratch(t);
  cpSync(new URL('../../runtime', import.meta.url), join(dir, 'runtime'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  const { status, stderr } = spawnSync(process.execPath, [join(dir, 'runtime/cli.js')], { encoding: 'utf8' });
  t.is(status, 2);
  t.regex(stderr, /^rollout: it is not built: run `npm ci`, or `npm run build`, in /);
});

function preloaded(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=${encodeURI(`data:text/javascript,${code}`)}` };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startCommand } from '../support/command.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** A module that is loaded before the process's own, and fails behind its back once it is up. */
const BUG = `data:text/javascript,const timer = setInterval(() => {
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
  const command = startCommand('coordinator', ['--config', config], { cwd: dir, env: { NODE_OPTIONS: `--import=${encodeURI(BUG)}` } });
  await until('it ends', PATIENCE_MS, () => command.hasExited());
  t.is(await command.exited, 70);
  t.regex(command.stderr(), /Error: a planted bug/);
});

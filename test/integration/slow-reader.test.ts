import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { temporaryDir } from '../support/temporary-dir.ts';

/** More than a pipe holds. */
const LINES = 2_000;
const LINE = 'x'.repeat(400);
const PRINTS = `
export async function main() {
  for (let n = 0; n < ${LINES}; n += 1) process.stdout.write('${LINE}\\n');
  process.stderr.write('printed');
  return 3;
}`;
const LAUNCHES = "import { launch } from './launch.js'; await launch('cli');";

test('a command that has printed more than its reader has taken ends when the reader has all of it', async (t) => {
  const dir = temporaryDir(t);
  for (const name of ['runtime', 'dist']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
  cpSync('runtime/launch.js', join(dir, 'runtime/launch.js'));
  writeFileSync(join(dir, 'runtime/cli.js'), LAUNCHES);
  writeFileSync(join(dir, 'dist/cli.js'), PRINTS);
  const child = spawn(process.execPath, [join(dir, 'runtime/cli.js')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = text(child.stderr);
  await new Promise((resolve) => child.stderr.once('data', resolve));
  await sleep(200); // Time to end too early.
  const [printed, code] = await Promise.all([text(child.stdout), ended]);
  t.is(await said, 'printed');
  t.is(printed.length, LINES * (LINE.length + 1));
  t.is(code, 3);
});

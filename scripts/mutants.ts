/**
 * `make mutants`: plants known faults in a copy of this tree, one at a time, and sees whether the simulation notices, or, where it does
 * not, the tests that are named. ONLY=name,name plants these; SEEDS=400 says how many worlds each has to get past.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTANTS } from './mutants/all.ts';
import { type Mutant, mutated, whyNotApplicable } from './mutants/mutant.ts';

/** A fault that keeps a world going round for ever has been noticed as well. */
const LIMIT_MS = 10 * 60_000;
const DEFAULT_SEEDS = '2500';
const COPIED = ['runtime', 'proto', 'test', 'scripts', 'package.json', 'tsconfig.json', 'ava.config.js'];
const NOTICED = /^seed (\d+) at commit [^:]*: (.*)$/m;

interface Verdict {
  readonly mutant: Mutant;
  /** Null: it survived. */
  readonly caughtBy: string | null;
}

const root = process.cwd();
const only = process.env['ONLY']?.split(',');
const chosen = MUTANTS.filter(({ name }) => only === undefined || only.includes(name));
const rotten = chosen.flatMap((mutant) => whyNotApplicable(root, mutant) ?? []);
if (rotten.length > 0 || chosen.length === 0) {
  for (const why of rotten) say(`cannot be planted: ${why}`);
  if (chosen.length === 0) say(`no such mutant; there are ${MUTANTS.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

const copy = mkdtempSync(join(tmpdir(), 'rollout-mutants-'));
const verdicts: Verdict[] = [];
try {
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const mutant of chosen) verdicts.push(tryOne(mutant));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const survived = verdicts.filter(({ caughtBy }) => caughtBy === null);
const byWorlds = verdicts.filter(({ caughtBy }) => caughtBy?.startsWith('seed') === true);
say(`${verdicts.length - survived.length} of ${verdicts.length} caught, ${byWorlds.length} of them by the simulation`);
process.exitCode = survived.length === 0 ? 0 : 1;

function tryOne(mutant: Mutant): Verdict {
  const { name, rule, file } = mutant;
  const startMs = performance.now();
  writeFileSync(join(copy, file), mutated(root, mutant));
  // No world runs a script.
  const noticed = (file.endsWith('.lua') ? null : inWorlds()) ?? byTests(mutant);
  cpSync(join(root, file), join(copy, file));
  // Tests that fail without the fault as well say nothing of it.
  const isBlind = noticed?.startsWith('test') === true && byTests(mutant) !== null;
  if (isBlind) say(`${name}: its tests fail without the fault too`);
  const caughtBy = isBlind ? null : noticed;
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  say(`${caughtBy === null ? 'SURVIVED' : 'caught  '} ${rule.padEnd(4)} ${name.padEnd(38)} ${caughtBy ?? ''} (${seconds} s)`);
  return { mutant, caughtBy };
}

function inWorlds(): string | null {
  const env = { ...process.env, QUICK: '1', SEEDS: process.env['SEEDS'] ?? DEFAULT_SEEDS, SEED: '', FROM: '' };
  const { stdout, stderr, status, error } = spawnSync('node', ['scripts/sim.ts'], { cwd: copy, env, encoding: 'utf8', timeout: LIMIT_MS });
  if (error !== undefined) return `seeds: a world that does not end (${error.message})`;
  const noticed = NOTICED.exec(stdout);
  if (noticed !== null) return `seed ${noticed[1]}: ${(noticed[2] ?? '').slice(0, 110)}`;
  return status === 0 ? null : `seeds: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

function byTests({ tests }: Mutant): string | null {
  // Processes are started from what is built.
  spawnSync('node', ['scripts/build.ts'], { cwd: copy });
  const run = spawnSync('ava', ['--tap', ...tests], { cwd: copy, encoding: 'utf8', timeout: LIMIT_MS });
  const failed = /^not ok \d+ - (.*)$/m.exec(run.stdout);
  return run.status === 0 ? null : `test ${failed?.[1] ?? tests.join(' ')}`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

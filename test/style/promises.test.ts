import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';
import { temporaryDir } from '../support/temporary-dir.ts';

/** Faults that the promise gate must see, one a line of the planted file. Without this, a gate that checks nothing looks green. */
const PLANTED: readonly { readonly rule: string; readonly line: string }[] = [
  { rule: 'no-floating-promises', line: 'export function floating(): void { work(); }' },
  { rule: 'no-floating-promises', line: 'export function voided(): void { void work(); }' },
  { rule: 'no-misused-promises', line: "export function condition(): string { return work() ? 'always' : 'never'; }" },
  {
    rule: 'no-misused-promises',
    line: 'export function handler(items: number[]): void { items.forEach(async (item) => { await use(item); }); }',
  },
  { rule: 'await-thenable', line: 'export async function nothing(): Promise<void> { await 1; }' },
  { rule: 'return-await', line: 'export async function lost(): Promise<number> { try { return work(); } catch { return 0; } }' },
  {
    rule: 'switch-exhaustiveness-check',
    line: "export function cases(kind: 'a' | 'b'): number { switch (kind) { case 'a': return 1; } return 0; }",
  },
];

test('the promise gate catches every planted fault, in its line', (t) => {
  const dir = temporaryDir(t);
  mkdirSync(join(dir, 'src'));
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
  cpSync('.oxlintrc.json', join(dir, '.oxlintrc.json'));
  const compilerOptions = { strict: true, target: 'es2023', module: 'nodenext', types: ['node'], noEmit: true };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src/**/*.ts'] }));
  const head =
    'async function work(): Promise<number> { return await use(1); } async function use(n: number): Promise<number> { return n; }';
  writeFileSync(join(dir, 'src/planted.ts'), [head, ...PLANTED.map((fault) => fault.line)].join('\n'));

  const { stdout, status } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--type-aware', '-f', 'unix'], { cwd: dir, encoding: 'utf8' });
  t.not(status, 0);
  for (const [at, { rule }] of PLANTED.entries()) {
    const found = stdout.split('\n').filter((line) => line.startsWith(`src/planted.ts:${at + 2}:`));
    t.true(
      found.some((line) => line.includes(rule)),
      `line ${at + 2} should be caught by ${rule}:\n${stdout}`,
    );
  }
});

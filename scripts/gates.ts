import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One check of the house: a command that ends with 0 when the tree is as it should be. `{tmp}` is a directory of its own. */
interface Gate {
  readonly name: string;
  readonly command: string;
}

export interface GateResult {
  readonly name: string;
  readonly isPassed: boolean;
  readonly seconds: number;
  /** What the command printed; shown only when it failed. */
  readonly output: string;
}

export const GATES: readonly Gate[] = [
  // First, since the tests that start processes use dist/. It is made even where a type is wrong, so they still tell something.
  // With the packages of package-lock.json, which a pull may have changed.
  { name: 'build', command: 'node scripts/install.js && node scripts/build.ts' },
  { name: 'types', command: 'tsc --noEmit -p tsconfig.json' },
  { name: 'format, lint, import cycles', command: 'biome check --error-on-warnings --max-diagnostics=50 .' },
  { name: 'promises', command: 'oxlint --type-aware --deny-warnings' },
  { name: 'dead code', command: 'knip --no-progress' },
  { name: 'proto lint', command: 'buf lint' },
  { name: 'proto breaking', command: 'buf breaking --against proto/baseline.json' },
  { name: 'generated code', command: 'buf generate -o {tmp} && diff -r {tmp}/runtime/rpc/gen runtime/rpc/gen' },
  { name: 'generated tables', command: 'node scripts/settings-page.ts {tmp}/settings.md && diff {tmp}/settings.md docs/settings.md' },
  {
    name: 'generated types',
    command: 'node scripts/crd-types.ts {tmp}/types.ts && diff {tmp}/types.ts operator/api/types.gen.ts',
  },
  {
    name: 'generated schema',
    command: 'node scripts/crd-schema.ts {tmp}/schema.ts && diff {tmp}/schema.ts operator/api/schema.gen.ts',
  },
  { name: 'copy of the CRD', command: 'diff crds/rolloutruns.yaml charts/rollout/files/rolloutruns.yaml' },
];

/** The rules of the house as tests. Not in GATES, since `make test` runs them with all other tests. */
export const STYLE_GATE: Gate = { name: 'house style', command: "ava 'test/style/*.test.ts'" };

/** Commands are found in node_modules/.bin, which `make` and npm put first in PATH. */
export async function runGate(gate: Gate): Promise<GateResult> {
  const tmp = mkdtempSync(join(tmpdir(), 'rollout-gate-'));
  const startMs = performance.now();
  const child = spawn('sh', ['-c', gate.command.replaceAll('{tmp}', tmp)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  rmSync(tmp, { recursive: true, force: true });
  const seconds = (performance.now() - startMs) / 1000;
  return { name: gate.name, isPassed: code === 0, seconds, output: Buffer.concat(chunks).toString('utf8') };
}

export async function runGates(gates: readonly Gate[]): Promise<readonly GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of gates) {
    const result = await runGate(gate);
    process.stdout.write(`${result.isPassed ? 'ok    ' : 'FAILED'} gate: ${result.name} (${result.seconds.toFixed(1)} s)\n`);
    if (!result.isPassed) process.stdout.write(`${result.output.trimEnd()}\n`);
    results.push(result);
  }
  return results;
}

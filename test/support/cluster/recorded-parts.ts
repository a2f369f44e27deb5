import type { ExecutionContext } from 'ava';
import { type ClusterRun, rolloutRun } from './rollout-run.ts';
import type { Cluster } from './start-cluster.ts';

/** The custom_ids of what a run that is not complete has recorded, and of the lines that are left of its list. */
export async function partsOf(
  t: ExecutionContext,
  cluster: Cluster,
  { namespace, name }: ClusterRun,
): Promise<{ readonly recorded: readonly string[]; readonly left: readonly string[] }> {
  const begunMs = performance.now();
  const partial = await rolloutRun(cluster, '--namespace', namespace, 'results', name, '--partial');
  t.is(partial.exit, 0, partial.err);
  t.log(`results --partial took ${Math.round(performance.now() - begunMs)} ms`);
  const recorded = idsIn(partial.out);
  t.regex(
    partial.err,
    new RegExp(`${name}: ${recorded.length} of \\d+ items are recorded, ${recorded.length} with a result and 0 as failed`),
  );
  const remaining = await rolloutRun(cluster, '--namespace', namespace, 'results', name, '--remaining');
  t.is(remaining.exit, 0, remaining.err);
  return { recorded, left: idsIn(remaining.out) };
}

export function idsIn(lines: string): readonly string[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
}

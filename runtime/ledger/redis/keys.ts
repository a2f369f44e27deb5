/** Keys of a run, in the order in which every script takes them (lua/lib/head.lua). One hash tag, so that a cluster keeps them together. */
const NAMES = ['head', 'lease', 'open', 'items', 'done', 'failed', 'workers', 'tallies', 'reopening', 'segments'] as const;

/** The keys of all runs, as an access list names them. */
export const KEY_PATTERN = 'rollout:*';

export const KEY_COUNT: number = NAMES.length;

export function keysOf(runId: string): readonly string[] {
  return NAMES.map((name) => keyOf(runId, name));
}

export function keyOf(runId: string, name: (typeof NAMES)[number]): string {
  return `rollout:{${runId}}:${name}`;
}

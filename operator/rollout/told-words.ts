import { NO_WORD, type NodeWord, withdrawal } from './node-words.ts';

/**
 * What the coordinator of an epoch knows of nodes. A word of an operator that led before stays there until it is withdrawn, whatever has
 * become of the node since then: what is not known to have been said is said.
 */
export interface ToldWords {
  /** Null before the first answer. */
  readonly epoch: number | null;
  /** Of a node of which nothing was said; null where somebody else may have said something. */
  readonly silent: string | null;
  /** By node the digest of the last word. */
  readonly digests: ReadonlyMap<string, string>;
}

export const NOTHING_TOLD: ToldWords = { epoch: null, silent: null, digests: new Map() };

/** A coordinator of another epoch has started since then, and knows nothing. */
export function inEpoch(told: ToldWords, epoch: number | null): ToldWords {
  if (told.epoch === epoch) return told;
  return { epoch, silent: told.epoch === null ? null : NO_WORD, digests: new Map() };
}

/** The words that are news to the coordinator. `words`: of each node on which the run has workers. */
export function newsOf({ silent, digests }: ToldWords, words: readonly NodeWord[]): readonly NodeWord[] {
  const news = words.filter(({ node, digest }) => (digests.get(node) ?? silent) !== digest);
  const kept = new Set(words.map(({ node }) => node));
  const left = [...digests].filter(([node, digest]) => digest !== NO_WORD && !kept.has(node)).map(([node]) => withdrawal(node));
  return [...news, ...left];
}

export function afterTelling(told: ToldWords, { node, digest }: NodeWord): ToldWords {
  return { ...told, digests: new Map(told.digests).set(node, digest) };
}

import type { HintWord } from '../../runtime/model/drain.ts';

/** Whom a word is about: a node, or one worker. */
export type Subject = Pick<HintWord, 'node' | 'worker'>;

/** What a coordinator is to know of a node or a worker. */
export interface Word {
  /** Equal for words that say the same: the time that is left is not part of it. */
  readonly digest: string;
  readonly word: HintWord;
}

/** The digest of a withdrawal. */
export const NO_WORD = '';

export function withdrawal({ node, worker }: Subject): Word {
  const reason = `nothing is said of the ${node === null ? 'worker' : 'node'} any more`;
  return { digest: NO_WORD, word: { node, worker, severity: 'withdrawn', provider: null, deadlineMs: null, reason } };
}

/**
 * What the coordinator of an epoch has been told. A word of an operator that led before stays there until it is withdrawn, whatever has
 * become of the node since then: what is not known to have been said is said.
 */
export interface ToldWords {
  /** Null before the first answer. */
  readonly epoch: number | null;
  /** Of whom nothing was said; null where somebody else may have said something. */
  readonly silent: string | null;
  /** By subject the last word. */
  readonly words: ReadonlyMap<string, Word>;
}

export const NOTHING_TOLD: ToldWords = { epoch: null, silent: null, words: new Map() };

/** A coordinator of another epoch has started since then, and knows nothing. */
export function inEpoch(told: ToldWords, epoch: number | null): ToldWords {
  if (told.epoch === epoch) return told;
  return { epoch, silent: told.epoch === null ? null : NO_WORD, words: new Map() };
}

/** The words that are news to the coordinator. `words`: of each worker of the run, and of each node that has one. */
export function newsOf({ silent, words: told }: ToldWords, words: readonly Word[]): readonly Word[] {
  const news = words.filter(({ digest, word }) => (told.get(keyOf(word))?.digest ?? silent) !== digest);
  const kept = new Set(words.map(({ word }) => keyOf(word)));
  const left = [...told].filter(([key, { digest }]) => digest !== NO_WORD && !kept.has(key)).map(([, { word }]) => withdrawal(word));
  return [...news, ...left];
}

export function afterTelling(told: ToldWords, word: Word): ToldWords {
  return { ...told, words: new Map(told.words).set(keyOf(word.word), word) };
}

function keyOf({ node, worker }: Subject): string {
  return JSON.stringify([node, worker]);
}

import type { HintWord } from '../../runtime/model/drain.ts';
import type { Signal } from '../nodes/signals.ts';
import type { WorkerView } from './worker-view.ts';

/** What a coordinator is to know of a node. */
export interface NodeWord {
  readonly node: string;
  /** Equal for words that say the same: the time that is left is not part of it. */
  readonly digest: string;
  readonly word: HintWord;
}

/** The digest of a withdrawal. */
export const NO_WORD = '';

/** Of each node on which the run has workers: its signal, or that there is none. */
export function nodeWords(workers: readonly WorkerView[], signals: ReadonlyMap<string, Signal>, nowMs: number): readonly NodeWord[] {
  const nodes = new Set(workers.flatMap(({ node }) => (node === null ? [] : [node])));
  return [...nodes].map((node) => {
    const signal = signals.get(node);
    return signal === undefined ? withdrawal(node) : { node, digest: JSON.stringify(signal), word: wordOf(node, signal, nowMs) };
  });
}

export function withdrawal(node: string): NodeWord {
  const reason = 'nothing is said of the node any more';
  return { node, digest: NO_WORD, word: { node, worker: null, severity: 'withdrawn', provider: null, deadlineMs: null, reason } };
}

function wordOf(node: string, { severity, provider, deadlineMs, reason }: Signal, nowMs: number): HintWord {
  return { node, worker: null, severity, provider, deadlineMs: deadlineMs === null ? null : Math.max(1, deadlineMs - nowMs), reason };
}

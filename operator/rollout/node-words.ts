import type { HintWord } from '../../runtime/model/drain.ts';
import type { Signal } from '../nodes/signals.ts';
import type { WorkerView } from './worker-view.ts';

/** What a coordinator is to know of a node. */
export interface NodeWord {
  /** Equal for words that say the same: the time that is left is not part of it. */
  readonly digest: string;
  readonly word: HintWord;
}

/** By node: the signals of those on which the run has workers. */
export function nodeWords(
  workers: readonly WorkerView[],
  signals: ReadonlyMap<string, Signal>,
  nowMs: number,
): ReadonlyMap<string, NodeWord> {
  const words = new Map<string, NodeWord>();
  for (const { node } of workers) {
    const signal = node === null ? undefined : signals.get(node);
    if (node !== null && signal !== undefined) words.set(node, { digest: JSON.stringify(signal), word: wordOf(node, signal, nowMs) });
  }
  return words;
}

export function withdrawal(node: string): HintWord {
  return { node, worker: null, severity: 'withdrawn', provider: null, deadlineMs: null, reason: 'nothing is said of the node any more' };
}

function wordOf(node: string, { severity, provider, deadlineMs, reason }: Signal, nowMs: number): HintWord {
  return { node, worker: null, severity, provider, deadlineMs: deadlineMs === null ? null : Math.max(1, deadlineMs - nowMs), reason };
}

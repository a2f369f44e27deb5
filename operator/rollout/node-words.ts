import type { HintWord } from '../../runtime/model/drain.ts';
import type { Signal } from '../nodes/signals.ts';
import { type Word, withdrawal } from './told-words.ts';
import type { WorkerView } from './worker-view.ts';

/** Of each node on which the run has workers: its signal, or that there is none. */
export function nodeWords(workers: readonly WorkerView[], signals: ReadonlyMap<string, Signal>, nowMs: number): readonly Word[] {
  const nodes = new Set(workers.flatMap(({ node }) => (node === null ? [] : [node])));
  return [...nodes].map((node) => {
    const signal = signals.get(node);
    if (signal === undefined) return withdrawal({ node, worker: null });
    return { digest: JSON.stringify(signal), word: wordOf(node, signal, nowMs) };
  });
}

function wordOf(node: string, { severity, provider, deadlineMs, reason }: Signal, nowMs: number): HintWord {
  return { node, worker: null, severity, provider, deadlineMs: deadlineMs === null ? null : Math.max(1, deadlineMs - nowMs), reason };
}

import { type Word, withdrawal } from './told-words.ts';
import type { WorkerView } from './worker-view.ts';

/**
 * For each worker: that its pod is about to end, or a withdrawal. A name may be used again once no pod has it: what an operator
 * that led before has said of an earlier pod of that name is withdrawn like a word about a node.
 */
export function workerWords(workers: readonly WorkerView[], nowMs: number): readonly Word[] {
  return workers.map(({ name, notice }) => {
    if (notice === null) return withdrawal({ node: null, worker: name });
    const deadlineMs = Math.max(1, notice.deadlineMs - nowMs);
    const word = { node: null, worker: name, severity: 'drain', provider: null, deadlineMs, reason: notice.reason } as const;
    return { digest: JSON.stringify(notice), word };
  });
}

import type { Word } from './told-words.ts';
import type { WorkerView } from './worker-view.ts';

/**
 * Of each worker whose pod is about to end. Nothing is said of the others: a word of an operator that led before, of a pod that stays
 * after all, costs that one worker its place.
 */
export function workerWords(workers: readonly WorkerView[], nowMs: number): readonly Word[] {
  return workers.flatMap(({ name, notice }) => {
    if (notice === null) return [];
    const deadlineMs = Math.max(1, notice.deadlineMs - nowMs);
    const word = { node: null, worker: name, severity: 'drain', provider: null, deadlineMs, reason: notice.reason } as const;
    return [{ digest: JSON.stringify(notice), word }];
  });
}

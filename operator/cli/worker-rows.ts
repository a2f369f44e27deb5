import type { Pod } from '../kube/kind.ts';
import { type WorkerView, workerView } from '../rollout/worker-view.ts';
import { ageText, tableText } from './table.ts';
import type { ToldWorker } from './told-workers.ts';

/** A worker as `workers` shows it. */
export interface WorkerRow {
  readonly name: string;
  readonly node: string | null;
  readonly phase: string;
  /** At the coordinator; null where that is not known. */
  readonly state: string | null;
  /** Items that it has, of those that it takes; null where that is not known. */
  readonly running: number | null;
  readonly concurrency: number | null;
  readonly createdAt: string | null;
  /** What is wrong with it, for people; null where nothing is. */
  readonly trouble: string | null;
}

/** In the order of their places. `told`: null where the coordinator could not be asked. */
export function workerRows(pods: readonly Pod[], told: readonly ToldWorker[] | null): readonly WorkerRow[] {
  const known = new Map((told ?? []).map((one) => [one.workerId, one]));
  const viewed = pods.flatMap((pod) => {
    const view = workerView(pod);
    return view === null ? [] : [{ pod, view }];
  });
  return viewed
    .toSorted((one, other) => one.view.slot - other.view.slot || one.view.incarnation - other.view.incarnation)
    .map(({ pod, view }) => {
      const at = known.get(view.name);
      return {
        name: view.name,
        node: view.node,
        phase: phaseText(view),
        state: at?.state ?? (told === null ? null : 'absent'),
        running: at?.running ?? null,
        concurrency: at?.concurrency ?? null,
        createdAt: pod.metadata.creationTimestamp ?? null,
        trouble: view.trouble ?? (at === undefined || at.detail === '' ? null : at.detail),
      };
    });
}

const PHASES: Readonly<Record<WorkerView['phase'], string>> = {
  waiting: 'Pending',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
};

function phaseText({ phase, isTerminating }: WorkerView): string {
  return isTerminating ? 'Terminating' : PHASES[phase];
}

export function workerTable(rows: readonly WorkerRow[], nowMs: number): readonly string[] {
  return tableText(
    ['WORKER', 'NODE', 'PHASE', 'STATE', 'ITEMS', 'AGE', 'TROUBLE'],
    rows.map(({ name, node, phase, state, running, concurrency, createdAt, trouble }) => [
      ...[name, node ?? '-', phase, state ?? '-', running === null ? '-' : `${running}/${concurrency}`],
      ...[ageText(createdAt ?? undefined, nowMs), trouble ?? ''],
    ]),
  );
}

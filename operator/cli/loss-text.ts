import { isTrue } from '../api/conditions.ts';
import type { RolloutRun } from '../api/run.ts';
import { stateClaimName } from '../rollout/children.ts';
import { hasEnded } from '../rollout/clocks.ts';
import { countsOf, phaseOf, terminalOf } from './status-text.ts';

/** What goes with a run when it is deleted, for the person who is to say whether it may. Pure. */
export function lossText(run: RolloutRun): readonly string[] {
  const { metadata, spec, status } = run;
  const counts = countsOf(run);
  const recorded = `${terminalOf(counts)} of ${counts.total ?? '?'} items`;
  return [
    `${metadata.name} in ${metadata.namespace} is ${phaseOf(run)}, with a record of ${recorded}.`,
    ...kept(run, isTrue(status?.conditions ?? [], 'Complete')),
    ...(spec.coordinator.store.redis === undefined
      ? [`The coordinator's volume (PersistentVolumeClaim ${stateClaimName(metadata.name)}) is deleted.`]
      : ["The run's keys stay on the Redis server, and expire 7 days after it was complete or deleted (status.runId is in their names)."]),
  ];
}

/** The files on a volume of the user's are written at the end of a run. */
function kept({ metadata, spec, status }: RolloutRun, isComplete: boolean): readonly string[] {
  const { output } = spec;
  if (isComplete && output?.pvc !== undefined)
    return [
      `Its results stay where they were written: ${output.pvc.path} of the claim ${output.pvc.claimName}, and the errors file beside it.`,
    ];
  const hasRecords = (status?.items?.done ?? 0) + (status?.items?.failed ?? 0) > 0;
  const fetch = `kubectl rollout-run results ${metadata.name} -n ${metadata.namespace}`;
  if (isComplete) return [`All its results are LOST: fetch them first with \`${fetch} > answers.jsonl\`.`];
  if (!hasRecords) return ['It has no results yet.'];
  const first = hasEnded(status) || spec.suspend ? 'fetch' : 'suspend it, and fetch';
  return [`All results so far are LOST: ${first} them first with \`${fetch} --partial > so-far.jsonl\`.`];
}

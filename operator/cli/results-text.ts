import { conditionOf, isTrue } from '../api/conditions.ts';
import type { RolloutRun } from '../api/run.ts';
import { hasEnded } from '../rollout/clocks.ts';
import type { ResultsArguments } from './verb-arguments.ts';

/** Why `results` cannot do what it is asked for, and what to do; null where it can. Pure. */
export function resultsRefusal(run: RolloutRun, args: ResultsArguments): string | null {
  const { errors, partial, remaining, failed } = args;
  const isList = remaining || failed;
  if (isList && (partial || errors))
    return '--partial and --errors are for results, --remaining and --failed for lines of the list: ask for one';
  if (isTrue(run.status?.conditions ?? [], 'Complete')) return null;
  if (!hasEnded(run.status) && !run.spec.suspend) return isList || partial ? goesOn(run) : notFinished(run);
  return isList || partial ? null : notComplete(run);
}

/** What its coordinator records meanwhile would be in none of two lists, or in both; and its store is one process's at a time. */
function goesOn({ metadata: { name, namespace }, status }: RolloutRun): string {
  return `${name} goes on (${how(status)}): suspend it first with \`kubectl rollout-run suspend ${name} -n ${namespace} --wait\`, or wait for its end`;
}

function notFinished({ metadata: { name, namespace }, status }: RolloutRun): string {
  const wait = `kubectl wait --for=condition=Complete rrun/${name} -n ${namespace} --timeout=-1s`;
  return `${name} is not finished (${how(status)}): wait with \`${wait}\`, or suspend it and ask for what is recorded with --partial`;
}

function notComplete({ metadata: { name }, status }: RolloutRun): string {
  const end = conditionOf(status?.conditions ?? [], 'Failed');
  const why = end?.status === 'True' ? `has failed (${end.reason}: ${end.message})` : `is suspended (${how(status)})`;
  return `${name} ${why}: --partial writes what it has recorded, and --remaining the lines of the list that it has no record of`;
}

function how(status: RolloutRun['status']): string {
  return `${status?.phase ?? 'Pending'}, ${status?.progress ?? '0/?'}`;
}

/** What a reader has found. */
export interface RecordedCount {
  readonly done: number;
  readonly failed: number;
  /** Recorded results that are damaged, and left out. */
  readonly lost: number;
}

/** What is said of results that are not all. Pure. */
export function recordedText({ metadata: { name }, status }: RolloutRun, { done, failed, lost }: RecordedCount): readonly string[] {
  const total = status?.items?.total ?? '?';
  return [
    `${name}: ${done + failed} of ${total} items are recorded, ${done} with a result and ${failed} as failed`,
    ...(lost === 0 ? [] : [`${name}: NOT all: of ${lost} more the record is damaged or gone`]),
  ];
}

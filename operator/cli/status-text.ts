import { formatSize } from '../../runtime/base/config/quantity.ts';
import { drawnBar } from '../../runtime/cli/view/terminal.ts';
import type { RolloutRun } from '../api/run.ts';
import { ageText, tableText } from './table.ts';
import { isBehind, troublesOf, troubleText } from './trouble.ts';

/** How a run's status reads. Pure. */

export interface Counts {
  /** Null before the list is read to its end. */
  readonly total: number | null;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  /** How often one whose execution had begun was handed out again. */
  readonly redone: number;
}

export function countsOf({ status }: RolloutRun): Counts {
  const { total, done = 0, failed = 0, running = 0, redone = 0 } = status?.items ?? {};
  return { total: total ?? null, done, failed, running, redone };
}

/** Items that have a record. */
export function terminalOf({ done, failed }: Counts): number {
  return done + failed;
}

export function phaseOf(run: RolloutRun): string {
  if (run.metadata.deletionTimestamp !== undefined) return 'Deleting';
  return run.status?.phase ?? 'Pending';
}

/** One line, for a log: `Running, 5/10 items, 4 done, …`. */
export function plainLine(run: RolloutRun): string {
  return [phaseOf(run), ...partsOf(run)].join(', ');
}

/** The line beside and with a bar. */
export function barLine(share: number, run: RolloutRun): string {
  return [drawnBar(share), ...partsOf(run), phaseOf(run)].join('  ');
}

function partsOf(run: RolloutRun): readonly string[] {
  const { done, failed, running, total } = countsOf(run);
  const { rate = '', eta = '' } = run.status ?? {};
  return [
    `${done + failed}/${total ?? '?'} items`,
    `${done} done`,
    `${failed} failed`,
    `${running} running`,
    ...(rate === '' ? [] : [rate]),
    ...(eta === '' ? [] : [`about ${eta} left`]),
    workersText(run),
  ];
}

export function workersText({ status }: RolloutRun): string {
  const { desired = 0, ready = 0, draining = 0 } = status?.workers ?? {};
  return `${ready} of ${desired} workers ready${draining === 0 ? '' : `, ${draining} draining`}`;
}

/** The whole page of `status`. `isTerminal`: a bar is drawn. */
export function statusPage(run: RolloutRun, nowMs: number, isTerminal: boolean): readonly string[] {
  const { metadata, status } = run;
  const counts = countsOf(run);
  const share = counts.total === null ? 0 : terminalOf(counts) / Math.max(1, counts.total);
  return [
    `${metadata.name} in ${metadata.namespace}: ${phaseOf(run)}, ${ageText(metadata.creationTimestamp, nowMs)} old`,
    ...(isTerminal && counts.total !== null ? [`  ${drawnBar(share)} ${Math.floor(share * 100)} %`] : []),
    `  items: ${itemsText(counts)}`,
    ...paceOf(run),
    ...resultsOf(run),
    `  workers: ${workersText(run)}`,
    ...(status?.coordinator?.pod === undefined
      ? []
      : [`  coordinator: ${status.coordinator.pod}, epoch ${status.coordinator.epoch ?? '?'}`]),
    ...endOf(run),
    ...noticesOf(run, nowMs),
  ];
}

function itemsText({ total, done, failed, running, redone }: Counts): string {
  const open = total === null ? [] : [`${Math.max(0, total - done - failed - running)} to do`];
  const all = total === null ? 'the list is not read to its end yet' : `${total} in all`;
  return [
    all,
    `${done} done`,
    `${failed} failed`,
    `${running} running`,
    ...open,
    ...(redone === 0 ? [] : [`${redone} executed again`]),
  ].join(', ');
}

function paceOf({ status }: RolloutRun): readonly string[] {
  const { rate = '', eta = '' } = status ?? {};
  if (rate === '') return [];
  return [`  rate: ${rate}${eta === '' ? '' : `, about ${eta} left`}`];
}

function resultsOf({ status }: RolloutRun): readonly string[] {
  const { usedBytes, limitBytes } = status?.results ?? {};
  if (usedBytes === undefined || limitBytes === undefined) return [];
  return [`  results on the Redis server: ${formatSize(usedBytes)} of ${formatSize(limitBytes)}`];
}

/** How it has ended, and what comes next. */
function endOf(run: RolloutRun): readonly string[] {
  const complete = run.status?.conditions?.find(({ type, status }) => type === 'Complete' && status === 'True');
  if (complete === undefined) return [];
  const fetch = `kubectl rollout-run results ${run.metadata.name} -n ${run.metadata.namespace}`;
  return [`  ended: ${complete.message} (${complete.reason})`, `  fetch them with \`${fetch} > answers.jsonl\``];
}

function noticesOf(run: RolloutRun, nowMs: number): readonly string[] {
  const { name, namespace } = run.metadata;
  if (run.status?.conditions === undefined)
    return [
      'The operator has not seen the run yet.',
      `\`kubectl rollout-run explain ${name} -n ${namespace}\` says what may be in its way.`,
    ];
  const behind = isBehind(run) ? ['The operator has not seen the last change of the run yet.'] : [];
  const troubles = troublesOf(run).map((one) => `${troubleText(one)} (for ${ageText(one.lastTransitionTime, nowMs)})`);
  if (troubles.length === 0) return behind;
  return [...behind, ...troubles, `\`kubectl rollout-run explain ${name} -n ${namespace}\` says what helps.`];
}

const HEADS = ['NAME', 'PHASE', 'PROGRESS', 'FAILED', 'RATE', 'ETA', 'WORKERS', 'AGE'];

/** The table of `list`. */
export function listTable(runs: readonly RolloutRun[], nowMs: number, hasNamespaces: boolean): readonly string[] {
  const rows = runs.map((run) => {
    const { metadata, status } = run;
    const { total, failed, done } = countsOf(run);
    const { desired = 0, ready = 0 } = status?.workers ?? {};
    return [
      ...(hasNamespaces ? [metadata.namespace] : []),
      ...[metadata.name, phaseOf(run), `${done + failed}/${total ?? '?'}`, String(failed)],
      ...[status?.rate || '-', status?.eta || '-', `${ready}/${desired}`, ageText(metadata.creationTimestamp, nowMs)],
    ];
  });
  return tableText([...(hasNamespaces ? ['NAMESPACE'] : []), ...HEADS], rows);
}

/** As `status --json` has it. */
export function statusJson(run: RolloutRun): Readonly<Record<string, unknown>> {
  const { metadata, status } = run;
  const { total, ...counts } = countsOf(run);
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    phase: phaseOf(run),
    isObserved: status !== undefined && !isBehind(run),
    items: { total, ...counts },
    rate: status?.rate ?? '',
    eta: status?.eta ?? '',
    workers: status?.workers ?? null,
    results: status?.results ?? null,
    coordinator: status?.coordinator ?? null,
    startTime: status?.startTime ?? null,
    completionTime: status?.completionTime ?? null,
    conditions: status?.conditions ?? [],
    troubles: troublesOf(run).map(({ type }) => type),
  };
}

import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { ApiError } from '../kube/api-error.ts';
import { CORE_EVENT, type CoreEvent, type Pod } from '../kube/kind.ts';
import type { K8sDeps } from './deps.ts';
import { eventTable, newestEvents } from './event-rows.ts';
import { requireRun } from './find-run.ts';
import { type Finding, findingsOf } from './findings.ts';
import { podTrouble } from './pod-trouble.ts';
import { podsOf } from './run-pods.ts';
import { plainLine } from './status-text.ts';
import type { JsonArguments } from './verb-arguments.ts';

/** Events of so many pods in trouble are asked for beside those of the run. */
const MOST_PODS = 3;
/** Of one object; the API server keeps events for an hour. */
const MOST_EVENTS = 100;

/** `kubectl rollout-run explain`: why a run does not go on, and what helps. */
export async function explain(deps: K8sDeps, name: string, { json }: JsonArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  const nowMs = deps.clock.wallMs();
  const pods = await podsOf(deps, name);
  const findings = findingsOf(run, pods, nowMs);
  const events = newestEvents(await eventsOf(deps, name, pods, nowMs));
  if (json) sayJson(deps.out, { name, namespace: deps.namespace, status: plainLine(run), findings, events });
  else say(deps.out, page(`${name} in ${deps.namespace}: ${plainLine(run)}`, findings, eventLines(events, nowMs)));
  return EXIT.done;
}

function page(head: string, findings: readonly Finding[], events: readonly string[]): readonly string[] {
  const found = findings.flatMap(({ what, help }, at) => ['', `${at + 1}. ${what}`, ...help.map((command) => `     ${command}`)]);
  return [head, ...(findings.length === 0 ? ['', 'Nothing is seen that stands in its way.'] : found), ...events];
}

function eventLines(events: readonly CoreEvent[], nowMs: number): readonly string[] {
  return events.length === 0 ? [] : ['', ...eventTable(events, nowMs)];
}

async function eventsOf(deps: K8sDeps, run: string, pods: readonly Pod[], nowMs: number): Promise<readonly CoreEvent[]> {
  const troubled = pods.filter((pod) => podTrouble(pod, nowMs) !== null).map(({ metadata }) => metadata.name);
  const asked = [run, ...troubled.slice(0, MOST_PODS)].map((name) => eventsOfOne(deps, name));
  return (await Promise.all(asked)).flat();
}

/** Events are an addition: where they may not be read, the rest still helps. */
async function eventsOfOne({ client, namespace }: K8sDeps, name: string): Promise<readonly CoreEvent[]> {
  try {
    const { items } = await client.list(CORE_EVENT, { namespace, fieldSelector: `involvedObject.name=${name}`, limit: MOST_EVENTS });
    return items;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}

import { mustGet } from '../../runtime/base/assert.ts';
import { parseDurationMs } from '../../runtime/base/config/quantity.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { LABEL } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import { POD, type Pod } from '../kube/kind.ts';
import { hasEnded } from '../rollout/clocks.ts';
import { workerView } from '../rollout/worker-view.ts';
import { stoppable } from './cluster.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { isPassing } from './refusal.ts';
import { podsOf } from './run-pods.ts';
import type { DrainArguments } from './verb-arguments.ts';

const LOOK_MS = 500;
/** Of a pod that names none: Kubernetes' own. */
const USUAL_GRACE_SECONDS = 30;
/** A kubelet kills what has not left in time, and says so a little later. */
const LATER_MS = 60_000;

/** `kubectl rollout-run drain`: deletes a worker's pod, which drains; its successor comes by itself. */
export async function drain(deps: K8sDeps, name: string, worker: string, args: DrainArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  const pod = await requireWorker(deps, name, worker);
  const graceSeconds = graceOf(pod, args);
  const isNew = pod.metadata.deletionTimestamp === undefined;
  if (isNew) await remove(deps, pod, args.deadline === undefined ? null : graceSeconds);
  tell(deps, args, worker, 'draining', [
    isNew
      ? `${worker} has been told to leave: it takes nothing new, finishes what it can and hands the rest back; it is killed after ${graceSeconds} s`
      : `${worker} is leaving already`,
    successionText(run, pod),
  ]);
  return args.wait ? untilGone(deps, pod, graceSeconds, args) : EXIT.done;
}

async function requireWorker(deps: K8sDeps, name: string, worker: string): Promise<Pod> {
  const { client, namespace } = deps;
  const pod = await client.get(POD, { namespace, name: worker });
  if (pod !== null && pod.metadata.labels?.[LABEL.run] === name && workerView(pod) !== null) return pod;
  const names = (await podsOf(deps, name, 'worker')).map(({ metadata }) => metadata.name).toSorted();
  const known = names.length === 0 ? 'none does now' : `these do: ${names.join(', ')}`;
  throw new RolloutError('USAGE', `no worker ${worker} works on ${name}; ${known}`);
}

function graceOf({ spec }: Pod, { deadline }: DrainArguments): number {
  if (deadline === undefined) return spec?.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS;
  return Math.max(1, Math.ceil(mustGet(parseDurationMs(deadline), 'a checked duration') / 1_000));
}

/** Only this very pod, and not one of the same name. */
async function remove({ client, namespace }: K8sDeps, { metadata }: Pod, graceSeconds: number | null): Promise<void> {
  await client.delete(
    POD,
    { namespace, name: metadata.name },
    {
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      ...(graceSeconds === null ? {} : { gracePeriodSeconds: graceSeconds }),
    },
  );
}

function successionText({ metadata, spec, status }: RolloutRun, pod: Pod): string {
  const slot = workerView(pod)?.slot ?? 0;
  if (hasEnded(status)) return `no successor comes: ${metadata.name} is over`;
  if (spec.suspend) return `no successor comes: ${metadata.name} is suspended`;
  if (slot >= spec.workers.parallelism) return `no successor comes: ${metadata.name} is to have ${spec.workers.parallelism} workers`;
  return 'its successor comes by itself';
}

async function untilGone(deps: K8sDeps, pod: Pod, graceSeconds: number, args: DrainArguments): Promise<ExitCode> {
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  const { name } = pod.metadata;
  try {
    const isGone = await waitGone(stoppable(deps, stop.signal), pod, graceSeconds * 1_000 + LATER_MS, stop.signal);
    if (isGone) return tell(deps, args, name, 'left', [`${name} has left`]);
    tell(deps, args, name, 'draining', [`${name} goes on leaving`]);
    return EXIT.interrupted;
  } finally {
    release();
  }
}

/** False where the person has lost patience. */
async function waitGone(
  { client, namespace, clock }: K8sDeps,
  { metadata }: Pod,
  withinMs: number,
  stopped: AbortSignal,
): Promise<boolean> {
  const untilMs = clock.monotonicMs() + withinMs;
  while (!stopped.aborted) {
    const found = await client.get(POD, { namespace, name: metadata.name }).catch((error: unknown) => {
      if (stopped.aborted || isPassing(error)) return undefined;
      throw error;
    });
    if (found === null || (found !== undefined && found.metadata.uid !== metadata.uid)) return true;
    if (clock.monotonicMs() > untilMs)
      throw new RolloutError(
        'COORDINATOR_UNREACHABLE',
        `${metadata.name} has not left in time: \`kubectl describe pod ${metadata.name} -n ${namespace}\` says why; a node that is gone keeps its pods until it is deleted`,
      );
    await clock.sleep(LOOK_MS, stopped);
  }
  return false;
}

function tell({ out }: K8sDeps, { json }: DrainArguments, worker: string, state: 'draining' | 'left', lines: readonly string[]): ExitCode {
  if (json) sayJson(out, { worker, state });
  else say(out, lines);
  return EXIT.done;
}

import { present } from '../base/assert.ts';
import { formatDuration, parseDurationMs } from '../base/config/quantity.ts';
import { gracePeriodMs } from '../model/hint.ts';
import { type StatePaths, workerDir } from '../run-dir/paths.ts';
import { chosenBackend, type RunArguments } from './arguments.ts';

/** From the arguments of `rollout run` to the settings of its processes (coordinator.yaml, worker.yaml). Pure; no secret enters. */

/** The environment variable in which the workers get the extra headers, as a JSON object. */
export const HEADERS_VARIABLE = 'ROLLOUT_HEADERS';

/** A worker that is only there to hand over what an earlier run left in its store. */
const LEFTOVER_CONCURRENCY = 1;

/** Worker slots are named w1, w2, …; the slot is the worker's id and keeps its store from run to run. */
export function slotName(number: number): string {
  return `w${number}`;
}

export interface Slot {
  readonly name: string;
  readonly concurrency: number;
}

/** The slots of this run, and beyond them those of earlier runs whose stores still hold outcomes. */
export function planSlots(args: RunArguments, slotsWithOutcomes: readonly string[]): readonly Slot[] {
  const wanted = Array.from({ length: args.workers }, (_, n) => slotName(n + 1));
  const leftover = slotsWithOutcomes.filter((name) => !wanted.includes(name));
  return [...wanted, ...leftover].map((name, n) => {
    return { name, concurrency: n < args.workers ? args.concurrency : LEFTOVER_CONCURRENCY };
  });
}

export interface CoordinatorInput {
  readonly runId: string;
  /** The file that is read: the input itself, or the spooled copy of a .gz or of stdin. */
  readonly inputPath: string;
  /** Permissions of the output files. */
  readonly outputMode: number;
  /** Where the processes of this host meet. */
  readonly loopback: string;
}

export function coordinatorConfig(args: RunArguments, input: CoordinatorInput, paths: StatePaths): Record<string, unknown> {
  return {
    runId: input.runId,
    input: input.inputPath,
    output: args.output,
    overwrite: args.overwrite,
    outputMode: input.outputMode.toString(8).padStart(4, '0'),
    listen: `${input.loopback}:0`,
    http: `${input.loopback}:0`,
    stateDir: paths.stateDir,
    tls: { dir: paths.tlsDir },
    store: { embedded: {} },
    raw: args.raw,
    onInvalid: args.onInvalid,
    order: args.order,
    ...(args.limit === undefined ? {} : { limit: args.limit }),
    maxAttempts: args.maxAttempts,
    ...(args.maxFailed === undefined ? {} : { maxFailedItems: args.maxFailed }),
    stragglers: args.stragglers,
    ...(args.stallTimeout === undefined ? {} : { stallTimeout: args.stallTimeout }),
    results: modelChoice(args),
    events: paths.events,
    logLevel: args.logLevel,
    drainTimeout: args.drainTimeout,
    minFreeSpace: args.minFreeSpace,
    ...(Object.keys(args.timing).length === 0 ? {} : { timing: args.timing }),
  };
}

export function workerConfig(args: RunArguments, slot: Slot, coordinators: readonly string[], paths: StatePaths): Record<string, unknown> {
  const { leaseRenewInterval: _, ...timing } = args.timing;
  return {
    coordinators,
    workerId: slot.name,
    stateDir: workerDir(paths, slot.name),
    tls: { dir: paths.tlsDir },
    concurrency: slot.concurrency,
    requestTimeout: args.timeout,
    waitBackend: args.waitBackend,
    // Ctrl-C is a SIGTERM for the workers: of their grace period it leaves what the flag says.
    terminationGracePeriod: formatDuration(gracePeriodMs(present(parseDurationMs(args.drainTimeout), 'a checked duration'))),
    logLevel: args.logLevel,
    backend: backendConfig(args),
    ...(Object.keys(timing).length === 0 ? {} : { timing }),
  };
}

function backendConfig(args: RunArguments): Record<string, unknown> {
  if (chosenBackend(args) === 'mock') {
    return { type: 'mock', latency: args.mockLatency, latencySpread: args.mockLatencySpread, failureRate: args.mockFailureRate };
  }
  return {
    type: 'openai',
    // Each worker spreads its items over all servers.
    baseUrl: args.baseUrl,
    ...modelChoice(args),
    apiKeyEnv: args.apiKeyEnv,
    ...(args.apiKeyHeader === undefined ? {} : { apiKeyHeader: args.apiKeyHeader }),
    maxAnswerBytes: args.maxAnswerBytes,
    ...(args.caCert === undefined ? {} : { caCert: args.caCert }),
    ...(Object.keys(args.header).length === 0 ? {} : { headersEnv: HEADERS_VARIABLE }),
  };
}

function modelChoice(args: RunArguments): Record<string, string> {
  return {
    ...(args.model === undefined ? {} : { model: args.model }),
    ...(args.overrideModel === undefined ? {} : { overrideModel: args.overrideModel }),
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Workers get the headers; the key is in the environment already. */
export function workerEnvironment(args: RunArguments, env: Environment): Environment {
  return Object.keys(args.header).length === 0 ? env : { ...env, [HEADERS_VARIABLE]: JSON.stringify(args.header) };
}

/** The coordinator has no use for what only the model server may see. */
export function coordinatorEnvironment(args: RunArguments, env: Environment): Environment {
  const { [args.apiKeyEnv]: _key, [HEADERS_VARIABLE]: _headers, ...rest } = env;
  return rest;
}

import { assertNever, mustGet } from '../base/assert.ts';
import { formatDuration, parseDurationMs } from '../base/config/quantity.ts';
import { gracePeriodMs } from '../model/hint.ts';
import { REDIS_PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE, type Store } from '../model/store.ts';
import { type StatePaths, workerDir } from '../run-dir/paths.ts';
import { MOCK, OPENAI } from '../settings/backend.ts';
import { COORDINATOR } from '../settings/coordinator.ts';
import { WORKER } from '../settings/worker.ts';
import { chosenBackend, type RunArguments } from './arguments.ts';
import { settingsFrom } from './run-settings.ts';

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
  /** Where the ledger is. */
  readonly store: Store;
  /** Where the processes of this host meet. */
  readonly loopback: string;
}

export function coordinatorConfig(args: RunArguments, input: CoordinatorInput, paths: StatePaths): Record<string, unknown> {
  return {
    ...settingsFrom(COORDINATOR, args),
    runId: input.runId,
    input: input.inputPath,
    outputMode: input.outputMode.toString(8).padStart(4, '0'),
    listen: `${input.loopback}:0`,
    http: `${input.loopback}:0`,
    stateDir: paths.stateDir,
    tls: { dir: paths.tlsDir },
    store: storeConfig(input.store, args.redisExpireAfter),
    events: paths.events,
    ...(Object.keys(args.timing).length === 0 ? {} : { timing: args.timing }),
  };
}

/** As the settings file names it; what is not given is left out. */
function storeConfig(store: Store, expireAfter: string | undefined): Record<string, unknown> {
  switch (store.kind) {
    case 'embedded':
      return { embedded: {} };
    case 'redis': {
      const { kind: _, url, ...files } = store;
      const given = Object.entries(files).filter(([, file]) => file !== null);
      return { redis: url, ...Object.fromEntries(given), ...(expireAfter === undefined ? {} : { expireAfter }) };
    }
    default:
      return assertNever(store);
  }
}

export function workerConfig(args: RunArguments, slot: Slot, coordinators: readonly string[], paths: StatePaths): Record<string, unknown> {
  const { leaseRenewInterval: _, ...timing } = args.timing;
  return {
    ...settingsFrom(WORKER, args),
    coordinators,
    workerId: slot.name,
    stateDir: workerDir(paths, slot.name),
    tls: { dir: paths.tlsDir },
    concurrency: slot.concurrency,
    // Ctrl-C is a SIGTERM for the workers: of their grace period it leaves what the flag says.
    terminationGracePeriod: formatDuration(gracePeriodMs(mustGet(parseDurationMs(args.drainTimeout), 'a checked duration'))),
    backend: backendConfig(args),
    ...(Object.keys(timing).length === 0 ? {} : { timing }),
  };
}

const BACKENDS = { mock: MOCK, openai: OPENAI };

function backendConfig(args: RunArguments): Record<string, unknown> {
  const type = chosenBackend(args);
  const hasHeaders = type === 'openai' && Object.keys(args.header).length > 0;
  return { type, ...settingsFrom(BACKENDS[type], args), ...(hasHeaders ? { headersEnv: HEADERS_VARIABLE } : {}) };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Workers get the headers; the key is in the environment already. The passwords of the store are for the coordinator alone. */
export function workerEnvironment(args: RunArguments, given: Environment): Environment {
  const { [REDIS_PASSWORD_VARIABLE]: _password, [SENTINEL_PASSWORD_VARIABLE]: _ofSentinels, ...env } = given;
  return Object.keys(args.header).length === 0 ? env : { ...env, [HEADERS_VARIABLE]: JSON.stringify(args.header) };
}

/**
 * Each half of the young generation of the coordinator's heap, in MiB. What a coordinator allocates dies soon: with 16 it had 50 MiB more in
 * memory, and was no faster.
 */
const YOUNG_GENERATION = '--max-semi-space-size=8';

/**
 * So many places from which glibc serves the coordinator's threads; its own rule is eight for each core. What a thread frees stays with its
 * place, which was 70 MiB for the threads of libuv, LMDB and the index. Other C libraries do not read it.
 */
const ALLOCATOR_ARENAS = '2';

/** The coordinator has no use for what only the model server may see. What a user gives to Node or to the allocator holds. */
export function coordinatorEnvironment(args: RunArguments, env: Environment): Environment {
  const { [args.apiKeyEnv]: _key, [HEADERS_VARIABLE]: _headers, NODE_OPTIONS: given = '', ...rest } = env;
  return { MALLOC_ARENA_MAX: ALLOCATOR_ARENAS, ...rest, NODE_OPTIONS: `${YOUNG_GENERATION} ${given}`.trimEnd() };
}

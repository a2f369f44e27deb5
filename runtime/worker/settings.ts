import * as z from 'zod';
import { loadSettings, type Rules } from '../base/config/settings.ts';
import { durationMs, environmentName, hostPort, httpUrls, intervalMs, sizeBytes } from '../base/config/settings-fields.ts';
import { isKeyHeader, KEY_HEADER_FORM } from '../base/http-header.ts';
import { LOG_LEVELS, type LogLevel } from '../base/log.ts';
import { MAX_U32 } from '../base/u32.ts';
import { isOneLine, ONE_LINE_FORM } from '../model/detail.ts';
import { sigtermDrainMs } from '../model/hint.ts';
import { MAX_CONCURRENCY, MOST_ANSWER_BYTES, MOST_ANSWER_FORM } from '../model/limits.ts';
import { COORDINATOR_WORKER, isWorkerId } from '../model/row.ts';
import type { Transport } from '../model/session.ts';
import { checkTiming, type Timing } from '../model/timing.ts';
import { SHARED_TIMING, timingOf } from '../model/timing-settings.ts';

/** The checked settings of a worker (worker.yaml). Relative paths are those of the working directory. */
export interface WorkerSettings {
  /** host:port of every coordinator of the run, at least one; of a supervised worker perhaps none yet. */
  readonly coordinators: readonly string[];
  readonly workerId: string;
  readonly stateDir: string;
  readonly tlsDir: string;
  /** How many items are executed at a time. */
  readonly concurrency: number;
  /** The most that is held ready beyond these; null where that follows how long items take. */
  readonly prefetch: number | null;
  readonly requestTimeoutMs: number;
  /** How long the backend may be away before the worker gives up. */
  readonly waitBackendMs: number;
  /** How long no coordinator may answer before the worker gives up; Infinity for a supervised one, whose parent ends it. */
  readonly waitCoordinatorMs: number;
  /** How long a drain may take where nobody says. */
  readonly drainTimeoutMs: number;
  /** A main loop that hangs for so long ends the process. */
  readonly maxLoopBlockMs: number;
  /** Name of the machine, by which hints find the worker; empty where it is not known. */
  readonly node: string;
  /** Null: there is no file with hints for this worker. */
  readonly hintsFile: string | null;
  readonly logLevel: LogLevel;
  readonly backend: BackendSettings;
  readonly transport: Transport;
  readonly timing: Timing;
}

export type BackendSettings =
  | {
      readonly type: 'mock';
      readonly latencyMs: number;
      readonly latencySpreadMs: number;
      readonly failureRate: number;
      readonly seed: number;
    }
  | {
      readonly type: 'openai';
      /** At least one. */
      readonly baseUrls: readonly string[];
      /** Fills `body.model` where it is absent. */
      readonly model: string | null;
      /** Replaces `body.model`. */
      readonly overrideModel: string | null;
      /** Names the environment variable that holds the key; only main.ts reads it. */
      readonly apiKeyEnv: string;
      /** The header that carries the key by itself, as `api-key`; null: `Authorization: Bearer`. */
      readonly apiKeyHeader: string | null;
      /** Names the environment variable that holds a JSON object of further headers. */
      readonly headersEnv: string | null;
      /** File with certificates of authorities beside those that Node trusts. */
      readonly caCert: string | null;
      /** A longer answer is given up. */
      readonly maxAnswerBytes: number;
    };

/** A supervised worker may begin without coordinators: its parent tells them. */
export async function loadWorkerSettings(path: string, isSupervised = false): Promise<WorkerSettings> {
  const raw = await loadSettings(path, isSupervised ? SUPERVISED_RULES : RULES);
  const {
    tls,
    prefetch,
    requestTimeout,
    waitBackend,
    waitCoordinator,
    terminationGracePeriod,
    hints,
    maxLoopBlock,
    backend,
    timing,
    ...same
  } = raw;
  return {
    ...same,
    tlsDir: tls.dir,
    prefetch: prefetch ?? null,
    requestTimeoutMs: requestTimeout,
    waitBackendMs: waitBackend,
    waitCoordinatorMs: isSupervised ? Number.POSITIVE_INFINITY : waitCoordinator,
    drainTimeoutMs: sigtermDrainMs(terminationGracePeriod),
    hintsFile: hints.file ?? null,
    maxLoopBlockMs: maxLoopBlock,
    backend: backendOf(backend),
    transport: raw.transport.mode,
    timing: timingOf(timing),
  };
}

const backend = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mock'),
    latency: durationMs().default(20),
    latencySpread: durationMs().default(0),
    failureRate: z.number().min(0).max(1).default(0),
    seed: z.int().min(0).max(MAX_U32).default(1),
  }),
  z.strictObject({
    type: z.literal('openai'),
    baseUrl: httpUrls(),
    model: z.string().min(1).optional(),
    overrideModel: z.string().min(1).optional(),
    apiKeyEnv: environmentName().default('OPENAI_API_KEY'),
    apiKeyHeader: z.string().refine(isKeyHeader, { error: KEY_HEADER_FORM }).optional(),
    headersEnv: environmentName().optional(),
    caCert: z.string().min(1).optional(),
    maxAnswerBytes: sizeBytes()
      .refine((bytes) => bytes > 0 && bytes <= MOST_ANSWER_BYTES, { error: MOST_ANSWER_FORM })
      .default(12 * 1024 ** 2),
  }),
]);

const schema = z.strictObject({
  coordinators: z.array(hostPort()).min(1),
  workerId: z
    .string()
    .refine(isWorkerId, { error: "must be 1 to 64 letters, digits, '-', '_' or '.'" })
    .refine((id) => id !== COORDINATOR_WORKER, { error: `must not be ${COORDINATOR_WORKER}: under that name the coordinator records` }),
  stateDir: z.string().min(1),
  tls: z.strictObject({ dir: z.string().min(1) }),
  // Keeps a batching model server busy without overrunning its queue.
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).default(64),
  prefetch: z.int().min(1).max(MAX_CONCURRENCY).optional(),
  // As long as OpenAI's own clients wait: a long answer takes minutes.
  requestTimeout: durationMs().default(600_000),
  // A large model takes minutes to load.
  waitBackend: durationMs().default(900_000),
  // A coordinator's host may have to be replaced; a machine that is paid for must not wait for ever.
  waitCoordinator: intervalMs().default(900_000),
  // What orchestrators usually leave between SIGTERM and SIGKILL.
  terminationGracePeriod: durationMs().default(30_000),
  node: z.string().refine(isOneLine, { error: ONE_LINE_FORM }).default(''),
  hints: z.strictObject({ file: z.string().min(1).optional() }).prefault({}),
  // Reading hundreds of megabytes of JSON takes seconds; nothing that still works takes a minute.
  maxLoopBlock: intervalMs().default(60_000),
  logLevel: z.enum(LOG_LEVELS).default('info'),
  backend,
  // A stream carries several times the messages per second; polls pass where a proxy lets no stream through.
  transport: z.strictObject({ mode: z.enum(['stream', 'poll']).default('stream') }).prefault({}),
  timing: z.strictObject(SHARED_TIMING).prefault({}),
});

type Raw = z.infer<typeof schema>;

const RULES: Rules<Raw> = { schema, check: ({ timing }) => checkTiming(timingOf(timing)) };
const SUPERVISED_RULES: Rules<Raw> = { ...RULES, schema: schema.extend({ coordinators: z.array(hostPort()) }) };

function backendOf(raw: Raw['backend']): BackendSettings {
  if (raw.type === 'mock') {
    const { type, latency, latencySpread, failureRate, seed } = raw;
    return { type, latencyMs: latency, latencySpreadMs: latencySpread, failureRate, seed };
  }
  return {
    type: 'openai',
    baseUrls: raw.baseUrl,
    model: raw.model ?? null,
    overrideModel: raw.overrideModel ?? null,
    apiKeyEnv: raw.apiKeyEnv,
    apiKeyHeader: raw.apiKeyHeader ?? null,
    headersEnv: raw.headersEnv ?? null,
    caCert: raw.caCert ?? null,
    maxAnswerBytes: raw.maxAnswerBytes,
  };
}

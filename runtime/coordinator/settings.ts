import * as z from 'zod';
import { loadSettings, type Rules } from '../base/config/settings.ts';
import { durationMs, fileMode, hostPort, intervalMs, isHostPort, sizeBytes } from '../base/config/settings-fields.ts';
import { MIN_FREE_BYTES } from '../base/fs/disk-space.ts';
import { LOG_LEVELS, type LogLevel } from '../base/log.ts';
import { loopback } from '../base/loopback.ts';
import { FAILURE_LIMIT_FORM, type FailureLimit, parseFailureLimit } from '../model/failure-limit.ts';
import { MAX_LINE_BYTES, MOST_ATTEMPTS } from '../model/limits.ts';
import type { ItemForm } from '../model/session.ts';
import { checkBeats, checkTiming, type Timing } from '../model/timing.ts';
import { SHARED_TIMING, timingOf } from '../model/timing-settings.ts';
import { outputNameProblem } from '../results/export/output-name.ts';
import { defaultStateDir, statePaths } from '../run-dir/paths.ts';
import type { HealthPlace } from './server/health.ts';

/** The checked settings of a coordinator (coordinator.yaml). Relative paths are those of the working directory. */
export interface CoordinatorSettings {
  /** Null: the run that the state directory names, or a new one. */
  readonly runId: string | null;
  readonly input: string;
  readonly output: string;
  /** Files at the output that this run has not written are replaced. */
  readonly overwrite: boolean;
  /** Permissions of the output files; null: those of the input, within the umask. */
  readonly outputMode: number | null;
  /** host:port; port 0 is the system's choice. */
  readonly listen: string;
  /** Where the health endpoints are; null for none. */
  readonly http: HealthPlace | null;
  readonly stateDir: string;
  /** With less free space beside the state directory a coordinator waits. */
  readonly minFreeBytes: number;
  readonly tlsDir: string;
  readonly form: ItemForm;
  readonly onInvalid: 'record' | 'fail';
  readonly order: 'input' | 'completion';
  /** Only so many items of the input; null for all. */
  readonly limit: number | null;
  readonly maxLineBytes: number;
  readonly maxAttempts: number;
  /** So many answers 401, 403 or 404 in a row pause the run. */
  readonly breaker: number;
  /** Nothing has become terminal for so long: the run says that it has stalled. */
  readonly stallAfterMs: number;
  /** A run that has stalled for so long ends; Infinity for never. */
  readonly stallTimeoutMs: number;
  /** With more failed items than this the run pauses; null for none. */
  readonly maxFailedItems: FailureLimit | null;
  /** At the end of the list, idle workers get second attempts of what runs long (second-attempts.ts). */
  readonly stragglers: boolean;
  /** What shapes the results, only for the run's identity. */
  readonly results: { readonly model: string | null; readonly overrideModel: string | null };
  /** `stdout`, `none` or the path of a file. */
  readonly events: string;
  readonly logLevel: LogLevel;
  readonly drainTimeoutMs: number;
  /** Null: there is no file with hints. */
  readonly hintsFile: string | null;
  readonly timing: Timing;
}

export async function loadCoordinatorSettings(path: string): Promise<CoordinatorSettings> {
  const raw = await loadSettings(path, RULES);
  const stateDir = raw.stateDir ?? defaultStateDir(raw.output);
  const {
    runId,
    limit,
    http,
    outputMode,
    maxFailedItems,
    raw: isRaw,
    tls,
    results,
    store: _store,
    timing,
    drainTimeout,
    hints,
    minFreeSpace,
    stallAfter,
    stallTimeout,
    ...same
  } = raw;
  return {
    ...same,
    runId: runId ?? null,
    outputMode: outputMode ?? null,
    maxFailedItems: maxFailedItems ?? null,
    http: healthPlace(http),
    stateDir,
    minFreeBytes: minFreeSpace,
    tlsDir: tls.dir ?? statePaths(stateDir).tlsDir,
    form: isRaw ? 'raw' : 'batch',
    limit: limit ?? null,
    results: { model: results.model ?? null, overrideModel: results.overrideModel ?? null },
    drainTimeoutMs: drainTimeout,
    stallAfterMs: stallAfter,
    stallTimeoutMs: stallTimeout ?? Number.POSITIVE_INFINITY,
    hintsFile: hints.file ?? null,
    timing: timingOf(timing, timing.leaseRenewInterval),
  };
}

/** Next to the ports that exporters of metrics use, and on this host alone: nobody has to log in there. */
const USUAL_HTTP_PORT = 9464;

function healthPlace(http: string | undefined): HealthPlace | null {
  if (http === 'none') return null;
  return { listen: http ?? `${loopback()}:${USUAL_HTTP_PORT}`, isGiven: http !== undefined };
}

const schema = z.strictObject({
  runId: z.ulid({ error: 'must be a ULID (26 characters), or left out' }).optional(),
  input: z.string().min(1),
  output: z
    .string()
    .refine((name) => outputNameProblem(name) === null, { error: (issue) => outputNameProblem(String(issue.input)) ?? undefined }),
  overwrite: z.boolean().default(false),
  outputMode: fileMode().optional(),
  listen: hostPort().default(() => `${loopback()}:50051`),
  http: z
    .string()
    .refine((text) => text === 'none' || isHostPort(text), { error: 'must be host:port, such as 127.0.0.1:9464, or none' })
    .optional(),
  stateDir: z.string().min(1).optional(),
  minFreeSpace: sizeBytes().default(MIN_FREE_BYTES),
  tls: z.strictObject({ dir: z.string().min(1).optional() }).prefault({}),
  store: z.strictObject({ embedded: z.strictObject({}) }).prefault({ embedded: {} }),
  raw: z.boolean().default(false),
  onInvalid: z.enum(['record', 'fail']).default('record'),
  order: z.enum(['input', 'completion']).default('input'),
  limit: z.int().min(1).optional(),
  maxLineBytes: sizeBytes().default(MAX_LINE_BYTES),
  // Five failures outlast a server's restart and a rare fault, and an item that always fails is not paid for again and again.
  maxAttempts: z.int().min(1).max(MOST_ATTEMPTS).default(5),
  // So many refusals in a row are no item's own fault, and few enough requests are spent on finding out.
  breaker: z.int().min(1).default(20),
  // Some minutes without any result are usual while a model loads; a longer time is worth a message.
  stallAfter: intervalMs().default(180_000),
  stallTimeout: intervalMs().optional(),
  maxFailedItems: failureLimit().optional(),
  // A model's answers differ and second attempts cost money: they have to be asked for.
  stragglers: z.boolean().default(false),
  results: z.strictObject({ model: z.string().optional(), overrideModel: z.string().optional() }).prefault({}),
  events: z.string().min(1).default('stdout'),
  logLevel: z.enum(LOG_LEVELS).default('info'),
  // Below the 30 s that orchestrators usually leave between SIGTERM and SIGKILL.
  drainTimeout: durationMs().default(20_000),
  hints: z.strictObject({ file: z.string().min(1).optional() }).prefault({}),
  timing: z.strictObject({ ...SHARED_TIMING, leaseRenewInterval: intervalMs().optional() }).prefault({}),
});

function failureLimit(): z.ZodType<FailureLimit> {
  return z.union([z.int().min(0), z.string()]).transform((value, context) => {
    const limit = parseFailureLimit(String(value));
    if (limit !== null) return limit;
    context.addIssue({ code: 'custom', message: `must be ${FAILURE_LIMIT_FORM}` });
    return z.NEVER;
  });
}

type Raw = z.infer<typeof schema>;

const RULES: Rules<Raw> = {
  schema,
  check: ({ timing, maxLineBytes }) => [
    ...checkTiming(timingOf(timing, timing.leaseRenewInterval)),
    ...checkBeats(timingOf(timing)),
    ...(maxLineBytes <= MAX_LINE_BYTES
      ? []
      : [{ field: 'maxLineBytes', problem: 'must be at most 8MiB, half of what a message may hold' }]),
  ],
};

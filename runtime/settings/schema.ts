import * as z from 'zod';
import {
  durationMs,
  environmentName,
  fileMode,
  hostPort,
  httpUrls,
  intervalMs,
  isHostPort,
  sizeBytes,
} from '../base/config/settings-fields.ts';
import { isKeyHeader, KEY_HEADER_FORM } from '../base/http-header.ts';
import { MAX_U32 } from '../base/u32.ts';
import { isOneLine, ONE_LINE_FORM } from '../model/detail.ts';
import { FAILURE_LIMIT_FORM, type FailureLimit, parseFailureLimit } from '../model/failure-limit.ts';
import { MAX_LINE_BYTES, MOST_ANSWER_BYTES, MOST_ANSWER_FORM, MOST_LINE_FORM } from '../model/limits.ts';
import { outputNameProblem } from '../model/output-name.ts';
import { redisUrlProblem } from '../model/redis-url.ts';
import { COORDINATOR_WORKER, isWorkerId, MAX_INDEX } from '../model/row.ts';
import type { Read, Setting, Settings } from './setting.ts';

/** The shape of a settings file, or of a block of it, for `z.strictObject`. */
type ShapeOf<Table> = { readonly [Name in keyof Read<Table>]: z.ZodType<Read<Table>[Name]> };

/** Made from the table when it is called: only the process that reads a file has its schema. */
export function shapeOf<Table extends Settings>(table: Table): ShapeOf<Table> {
  const shape: Record<string, z.ZodType> = {};
  for (const [path, setting] of Object.entries<Setting>(table)) {
    const [block = path, name] = path.split('.');
    if (name === undefined) shape[path] = schemaOf(setting);
    else shape[block] ??= blockOf(table, `${block}.`);
  }
  return shape as ShapeOf<Table>;
}

/** A block may be left out where none of its settings is required. */
function blockOf(table: Settings, prefix: string): z.ZodType {
  const own = Object.entries(table).flatMap(([path, setting]) =>
    path.startsWith(prefix) ? [[path.slice(prefix.length), setting] as const] : [],
  );
  const block = z.strictObject(shapeOf(Object.fromEntries(own)));
  return own.some(([, setting]) => isRequired(setting)) ? block : block.prefault({});
}

function isRequired(setting: Setting): boolean {
  return !('default' in setting) && setting.otherwise === undefined;
}

function schemaOf(setting: Setting): z.ZodType {
  const given = givenOf(setting);
  if ('default' in setting) return given.prefault(setting.default);
  return setting.otherwise === undefined ? given : given.optional().transform((value) => value ?? null);
}

function givenOf(setting: Setting): z.ZodType {
  switch (setting.kind) {
    case 'count':
      return z
        .int()
        .min(setting.least)
        .max(setting.most ?? MAX_INDEX);
    case 'choice':
      return z.enum(setting.choices);
    case 'hostPorts':
      return z.array(hostPort()).min(setting.least);
    default:
      return SCHEMAS[setting.kind]();
  }
}

/** Of the kinds that are the same for all settings. */
const SCHEMAS: Readonly<Record<Exclude<Setting['kind'], 'count' | 'choice' | 'hostPorts'>, () => z.ZodType>> = {
  switch: () => z.boolean(),
  fraction: () => z.number().min(0).max(1),
  u32: () => z.int().min(0).max(MAX_U32),
  text: () => z.string().min(1),
  oneLine: () => z.string().refine(isOneLine, { error: ONE_LINE_FORM }),
  ulid: () => z.ulid({ error: 'must be a ULID (26 characters), or left out' }),
  duration: durationMs,
  interval: intervalMs,
  size: sizeBytes,
  lineSize: () => sizeBytes().refine((bytes) => bytes <= MAX_LINE_BYTES, { error: MOST_LINE_FORM }),
  answerSize: () => sizeBytes().refine((bytes) => bytes > 0 && bytes <= MOST_ANSWER_BYTES, { error: MOST_ANSWER_FORM }),
  fileMode,
  hostPort,
  healthAddress: () =>
    z.string().refine((text) => text === 'none' || isHostPort(text), { error: 'must be host:port, such as 127.0.0.1:9464, or none' }),
  urls: httpUrls,
  variable: environmentName,
  keyHeader: () => z.string().refine(isKeyHeader, { error: KEY_HEADER_FORM }),
  outputPath: () =>
    z
      .string()
      .refine((name) => outputNameProblem(name) === null, { error: (issue) => outputNameProblem(String(issue.input)) ?? undefined }),
  redisUrl: () =>
    z.string().refine((url) => redisUrlProblem(url) === null, { error: (issue) => redisUrlProblem(String(issue.input)) ?? undefined }),
  failureLimit,
  workerId: () =>
    z
      .string()
      .refine(isWorkerId, { error: "must be 1 to 64 letters, digits, '-', '_' or '.'" })
      .refine((id) => id !== COORDINATOR_WORKER, { error: `must not be ${COORDINATOR_WORKER}: under that name the coordinator records` }),
  emptyBlock: () => z.strictObject({}),
};

function failureLimit(): z.ZodType<FailureLimit> {
  return z.union([z.int().min(0), z.string()]).transform((value, context) => {
    const limit = parseFailureLimit(String(value));
    if (limit !== null) return limit;
    context.addIssue({ code: 'custom', message: `must be ${FAILURE_LIMIT_FORM}` });
    return z.NEVER;
  });
}

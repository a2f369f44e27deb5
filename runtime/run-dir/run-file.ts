import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { RolloutError } from '../base/errors.ts';
import { createFileAtomic, writeFileAtomic } from '../base/fs/atomic-file.ts';
import type { FileStamp } from '../base/fs/file-stamp.ts';
import { ifThere } from '../base/fs/if-there.ts';
import { MAX_LINE_BYTES } from '../model/limits.ts';
import { redisUrlProblem } from '../model/redis-url.ts';
import type { ResultsKind } from '../model/results-kind.ts';
import { EMBEDDED, type Store } from '../model/store.ts';
import { statePaths } from './paths.ts';
import type { RunSettings } from './run-settings.ts';

/** The input as the run knows it. */
export interface RunInput extends FileStamp {
  /** Where its bytes are: the file itself, or its spooled copy. */
  readonly path: string;
  /** SHA-256 of its first `hashedBytes` bytes, from the index's summary; both null until the index was whole once. */
  readonly sha256: string | null;
  readonly hashedBytes: number | null;
}

/** `run.json` in the state directory: which run it is. */
export interface RunFile {
  readonly version: 1;
  readonly runId: string;
  readonly createdAtMs: number;
  readonly input: RunInput;
  readonly settings: RunSettings;
  readonly store: Store;
  /** Where its results are kept. */
  readonly results: ResultsKind;
}

const runFile: z.ZodType<RunFile> = z.object({
  version: z.literal(1),
  runId: z.string().min(1),
  createdAtMs: z.number(),
  input: z.object({
    path: z.string(),
    size: z.number(),
    mtimeMs: z.number(),
    sha256: z.string().nullable(),
    hashedBytes: z.number().nullable(),
  }),
  settings: z.object({
    raw: z.boolean(),
    limit: z.number().nullable(),
    maxLineBytes: z.number().default(MAX_LINE_BYTES),
    model: z.string().nullable(),
    overrideModel: z.string().nullable(),
  }),
  store: z.discriminatedUnion('kind', [z.object({ kind: z.literal('embedded') }), redisStore()]).default(EMBEDDED),
  results: z.enum(['directory', 'inline']).default('directory'),
});

function redisStore() {
  const file = z.string().nullable();
  const url = z
    .string()
    .refine((text) => redisUrlProblem(text) === null, { error: ({ input }) => redisUrlProblem(String(input)) ?? undefined });
  const since = file.default(null);
  const ofSentinels = { sentinelPasswordFile: since, sentinelUsername: since, sentinelCaCert: since };
  const files = { passwordFile: file, ...ofSentinels, caCert: file, cert: file, key: file };
  return z.object({ kind: z.literal('redis'), url, ...files });
}

/** Null where no run was begun in this state directory. */
export async function readRunFile(stateDir: string): Promise<RunFile | null> {
  const path = statePaths(stateDir).runFile;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return await refuseNameless(stateDir, path);
    throw unreadableRunFile(path, (error as Error).message, error);
  }
  return parseRunFile(path, text);
}

/** The file is made before the store: a store without it is that of a run which can no longer be told from others. */
async function refuseNameless(stateDir: string, path: string): Promise<null> {
  const { storeDir } = statePaths(stateDir);
  if ((await ifThere(storeDir, stat(storeDir))) === null) return null;
  throw unreadableRunFile(path, 'it is missing, and the store of a run is there', undefined);
}

export async function writeRunFile(stateDir: string, contents: RunFile): Promise<void> {
  await writeFileAtomic(statePaths(stateDir).runFile, `${JSON.stringify(contents, null, 2)}\n`);
}

/** Begins the run of this state directory; false where another process has begun it meanwhile. */
export async function createRunFile(stateDir: string, contents: RunFile): Promise<boolean> {
  return createFileAtomic(statePaths(stateDir).runFile, `${JSON.stringify(contents, null, 2)}\n`);
}

function parseRunFile(path: string, text: string): RunFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadableRunFile(path, 'it is not JSON', error);
  }
  const parsed = runFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadableRunFile(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not of this form'}`, parsed.error);
}

function unreadableRunFile(path: string, why: string, cause: unknown): RolloutError {
  return new RolloutError(
    'STATE_UNREADABLE',
    `cannot read ${path} (${why}): restore it from a copy, or begin a new run with --fresh, which moves the old state aside`,
    { cause },
  );
}

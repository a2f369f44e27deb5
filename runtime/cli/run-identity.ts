import { stat } from 'node:fs/promises';
import { ulid } from 'ulid';
import { RolloutError } from '../base/errors.ts';
import { checkInput } from '../input/check-input.ts';
import { compareSettings, type RunSettings } from '../input/identity.ts';
import { indexFiles } from '../input/index-files.ts';
import { readSummary } from '../input/index-summary.ts';
import { type RunFile, type RunInput, readRunFile, writeRunFile } from '../input/run-file.ts';
import { MAX_LINE_BYTES } from '../model/limits.ts';
import type { RunArguments } from './arguments.ts';
import { identityTable } from './identity-table.ts';
import type { StatePaths } from './paths.ts';

/** Which run this command is: a new one, or the one that the state directory holds. */
export interface IdentifiedRun {
  readonly runId: string;
  readonly isNew: boolean;
  /** Gone on with by --force although the input's bytes differ. */
  readonly isInputChanged: boolean;
  /** Writes it down; until then nothing is changed. */
  keep(): Promise<void>;
}

export async function identifyRun(paths: StatePaths, inputPath: string, args: RunArguments, nowMs: number): Promise<IdentifiedRun> {
  const settings = settingsOf(args);
  const known = await readRunFile(paths.stateDir);
  if (known === null) return newRun(paths, inputPath, settings, nowMs);
  const input = withHash(known, paths);
  const check = await checkInput(input, inputPath);
  const differences = [...(check.kind === 'different' ? [check.difference] : []), ...compareSettings(known.settings, settings)];
  if (differences.length > 0 && !args.force) throw new RolloutError('IDENTITY_DIFFERS', identityTable(paths.stateDir, differences));
  const isInputChanged = check.kind === 'different';
  const hash = isInputChanged ? NO_HASH : { sha256: input.sha256, hashedBytes: input.hashedBytes };
  const keep = async (): Promise<void> =>
    writeRunFile(paths.stateDir, { ...known, settings, input: { path: inputPath, ...(await stampOf(inputPath)), ...hash } });
  return { runId: known.runId, isNew: false, isInputChanged, keep };
}

const NO_HASH = { sha256: null, hashedBytes: null } as const;

async function newRun(paths: StatePaths, inputPath: string, settings: RunSettings, nowMs: number): Promise<IdentifiedRun> {
  const runId = ulid(nowMs);
  const input = { path: inputPath, ...(await stampOf(inputPath)), ...NO_HASH };
  const keep = async (): Promise<void> => writeRunFile(paths.stateDir, { version: 1, runId, createdAtMs: nowMs, input, settings });
  return { runId, isNew: true, isInputChanged: false, keep };
}

/** The hash is known once the index was whole. */
function withHash(known: RunFile, paths: StatePaths): RunInput {
  if (known.input.sha256 !== null) return known.input;
  const form = known.settings.raw ? 'raw' : 'batch';
  const summary = readSummary(indexFiles(paths.indexDir), { form, maxLineBytes: MAX_LINE_BYTES, limit: known.settings.limit }, known.input);
  return summary === null ? known.input : { ...known.input, sha256: summary.sha256, hashedBytes: summary.hashedBytes };
}

async function stampOf(path: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, mtimeMs };
}

function settingsOf(args: RunArguments): RunSettings {
  return { raw: args.raw, limit: args.limit ?? null, model: args.model ?? null, overrideModel: args.overrideModel ?? null };
}

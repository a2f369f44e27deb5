import { stat } from 'node:fs/promises';
import { ulid } from 'ulid';
import { RolloutError } from '../../base/errors.ts';
import { indexFiles } from '../../input/index/index-files.ts';
import { type IndexSettings, readSummary } from '../../input/index/index-summary.ts';
import { entriesBefore, removeIndex } from '../../input/index/indexer.ts';
import { MAX_LINE_BYTES } from '../../model/limits.ts';
import { checkInput, type InputCheck } from '../../run-dir/check-input.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { type RunFile, type RunInput, readRunFile, writeRunFile } from '../../run-dir/run-file.ts';
import { compareItems, compareSettings, type RunSettings } from '../../run-dir/run-settings.ts';
import type { RunArguments } from '../arguments.ts';
import type { CliDeps } from '../deps.ts';
import { settledItems } from '../status/run-status.ts';
import { type Environment, readProgress } from '../status/stored-ledger.ts';
import { identityTable } from './identity-table.ts';
import { type IdentityVerdict, identityVerdict } from './identity-verdict.ts';
import { hasLeftovers } from './leftovers.ts';
import { removeExportedMark } from './run-exported.ts';
import { waitingOutcomes } from './run-slots.ts';

/** Which run this command is: a new one, or the one that the state directory holds. */
export interface IdentifiedRun {
  readonly runId: string;
  readonly isNew: boolean;
  /** Continued by --force with another list, while nothing of the old one was handed out. */
  readonly isOtherList: boolean;
  /** Lines were added, and --extend given: the index has to prove, before `keep`, that the old ones are unchanged. */
  readonly isExtended: boolean;
  /** Writes it down; until then nothing is changed. */
  keep(): Promise<void>;
}

/** Where a run keeps what it knows. */
export type RunKept = Pick<RunFile, 'store' | 'results'>;

export async function identifyRun(
  { env, clock }: Pick<CliDeps, 'env' | 'clock'>,
  paths: StatePaths,
  inputPath: string,
  args: RunArguments,
  kept: RunKept,
): Promise<IdentifiedRun> {
  const settings = settingsOf(args);
  const known = await readRunFile(paths.stateDir);
  if (known === null) return newRun(paths, inputPath, settings, kept, clock.wallMs());
  const input = withHash(known, paths);
  const check = await checkInput(input, inputPath);
  const verdict = await judge(env, known, settings, check, args, paths);
  const isOtherList = verdict.kind === 'go-on' && verdict.isOtherList;
  const isExtended = verdict.kind === 'extend';
  const hash = isOtherList || isExtended ? NO_HASH : { sha256: input.sha256, hashedBytes: input.hashedBytes };
  const keep = async (): Promise<void> => {
    if (isOtherList) removeIndex(paths.indexDir);
    if (isExtended) await removeExportedMark(paths);
    await writeRunFile(paths.stateDir, { ...known, settings, input: { path: inputPath, ...(await stampOf(inputPath)), ...hash } });
  };
  return { runId: known.runId, isNew: false, isOtherList, isExtended, keep };
}

/** Throws IDENTITY_DIFFERS where this command may not go on with the run. */
async function judge(
  env: Environment,
  known: RunFile,
  settings: RunSettings,
  check: InputCheck,
  args: RunArguments,
  paths: StatePaths,
): Promise<Exclude<IdentityVerdict, { readonly kind: 'refuse' }>> {
  const items = compareItems(known.settings, settings);
  const ofSettings = compareSettings(known.settings, settings);
  const hasOtherModel = known.settings.model !== settings.model || known.settings.overrideModel !== settings.overrideModel;
  const progress = await readProgress(env, paths);
  const { cursor } = progress;
  const hasResults = hasOtherModel && (settledItems(progress) > 0 || (await mayHandOver(paths)));
  const isProvable = entriesBefore(paths.indexDir, indexSettingsOf(settings)) >= cursor;
  const verdict = identityVerdict({ input: check.kind, items, hasOtherModel, hasResults, handedOut: cursor, isProvable }, args);
  if (verdict.kind !== 'refuse') return verdict;
  const differences = [...(check.kind === 'same' ? [] : [check.difference]), ...ofSettings];
  throw new RolloutError('IDENTITY_DIFFERS', identityTable(paths.stateDir, differences, verdict.why));
}

/** Workers keep what no coordinator has recorded yet, and one that outlived its `rollout run` may be finishing an item now. */
async function mayHandOver(paths: StatePaths): Promise<boolean> {
  return (await waitingOutcomes(paths)).size > 0 || (await hasLeftovers(paths.children));
}

const NO_HASH = { sha256: null, hashedBytes: null } as const;

async function newRun(paths: StatePaths, inputPath: string, settings: RunSettings, kept: RunKept, nowMs: number): Promise<IdentifiedRun> {
  const runId = ulid(nowMs);
  const input = { path: inputPath, ...(await stampOf(inputPath)), ...NO_HASH };
  const keep = async (): Promise<void> => writeRunFile(paths.stateDir, { version: 1, runId, createdAtMs: nowMs, input, settings, ...kept });
  return { runId, isNew: true, isOtherList: false, isExtended: false, keep };
}

/** The hash is known once the index was whole. */
function withHash(known: RunFile, paths: StatePaths): RunInput {
  if (known.input.sha256 !== null) return known.input;
  const summary = readSummary(indexFiles(paths.indexDir), indexSettingsOf(known.settings), known.input);
  return summary === null ? known.input : { ...known.input, sha256: summary.sha256, hashedBytes: summary.hashedBytes };
}

function indexSettingsOf({ raw, limit, maxLineBytes }: RunSettings): IndexSettings {
  return { form: raw ? 'raw' : 'batch', maxLineBytes, limit };
}

async function stampOf(path: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, mtimeMs };
}

function settingsOf({ raw, limit, model, overrideModel }: RunArguments): RunSettings {
  return { raw, limit: limit ?? null, maxLineBytes: MAX_LINE_BYTES, model: model ?? null, overrideModel: overrideModel ?? null };
}

import { stat } from 'node:fs/promises';
import { ulid } from 'ulid';
import { mustGet } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import type { IndexSummary } from '../../input/index/index-summary.ts';
import { checkInput, type InputCheck } from '../../run-dir/check-input.ts';
import { createRunFile, type RunFile, readRunFile, writeRunFile } from '../../run-dir/run-file.ts';
import { resultsKind } from '../../run-dir/run-results.ts';
import { compareSettings, type Difference, type RunSettings } from '../../run-dir/run-settings.ts';
import { keepStore } from '../../run-dir/run-store.ts';
import type { CoordinatorSettings } from '../settings.ts';

/** Which run this directory holds: begun here where it holds none, refused where it holds another than the settings ask for. */
export async function identifyRun(settings: CoordinatorSettings, inputPath: string, clock: Clock): Promise<RunFile> {
  await keepStore(settings.stateDir, settings.store);
  const found = (await readRunFile(settings.stateDir)) ?? (await beginRun(settings, inputPath, clock));
  resultsKind(settings.stateDir, found, settings.results.place, settings.store);
  const input = await checkInput(found.input, inputPath);
  const differences = differencesOf(found, settings, input);
  if (differences.length === 0) return found;
  const hint = input.kind === 'grown' ? '; lines were added to it, and `rollout run --extend` goes on with such a list' : '';
  const table = differences.map(({ name, found: was, wanted }) => `  ${name}: the run has ${was}, the settings say ${wanted}`).join('\n');
  throw new RolloutError(
    'IDENTITY_DIFFERS',
    `${settings.stateDir} holds run ${found.runId}, which is another one:\n${table}\nuse another stateDir, or the settings and the input of that run${hint}`,
  );
}

async function beginRun(settings: CoordinatorSettings, inputPath: string, clock: Clock): Promise<RunFile> {
  const { size, mtimeMs } = await stat(inputPath);
  const begun: RunFile = {
    version: 1,
    runId: settings.runId ?? ulid(),
    createdAtMs: clock.wallMs(),
    input: { path: inputPath, size, mtimeMs, sha256: null, hashedBytes: null },
    settings: runSettings(settings),
    store: settings.store,
    results: resultsKind(settings.stateDir, null, settings.results.place, settings.store),
  };
  if (await createRunFile(settings.stateDir, begun)) return begun;
  return mustGet(await readRunFile(settings.stateDir), 'the run that another process has begun');
}

function differencesOf(found: RunFile, settings: CoordinatorSettings, input: InputCheck): readonly Difference[] {
  const { runId } = settings;
  const ofRun = runId === null || runId === found.runId ? [] : [{ name: 'runId', found: found.runId, wanted: runId }];
  const ofSettings = compareSettings(found.settings, runSettings(settings));
  return [...ofRun, ...ofSettings, ...(input.kind === 'same' ? [] : [input.difference])];
}

/** The input's hash is known once its index is whole: from then on a file that was merely touched is told from one that differs. */
export async function completeIdentity(stateDir: string, summary: IndexSummary): Promise<void> {
  const run = mustGet(await readRunFile(stateDir), 'run.json');
  const { sha256, hashedBytes, size, mtimeMs } = summary;
  if (run.input.sha256 === sha256 && run.input.mtimeMs === mtimeMs) return;
  await writeRunFile(stateDir, { ...run, input: { ...run.input, size, mtimeMs, sha256, hashedBytes } });
}

function runSettings({ form, limit, maxLineBytes, results }: CoordinatorSettings): RunSettings {
  return { raw: form === 'raw', limit, maxLineBytes, model: results.model, overrideModel: results.overrideModel };
}

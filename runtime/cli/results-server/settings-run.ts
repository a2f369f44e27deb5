import { makeStateDir } from '../../base/fs/state-dir.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from '../../coordinator/settings.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { readRunFile } from '../../run-dir/run-file.ts';
import { resultsKind } from '../../run-dir/run-results.ts';
import type { RunKept } from '../status/stored-ledger.ts';

/** The run that the settings of a coordinator name, whether or not one has worked on it in this directory. */
export interface SettingsRun {
  readonly paths: StatePaths;
  readonly kept: RunKept;
  readonly settings: CoordinatorSettings;
  /** Of the input as the run read it, as the state directory knows it; null where it does not. */
  readonly expectedSha256: string | null;
  /** The highest epoch of the run that whoever asks has heard of; -1 for none. */
  readonly heardEpoch: number;
}

export async function settingsRun(config: string, heardEpoch: number): Promise<SettingsRun> {
  const settings = await loadCoordinatorSettings(config);
  const { stateDir, store, results } = settings;
  await makeStateDir(stateDir);
  const found = await readRunFile(stateDir);
  const kept = { runId: settings.runId ?? found?.runId ?? '', store, results: resultsKind(stateDir, found, results.place, store) };
  return { paths: statePaths(stateDir), kept, settings, expectedSha256: found?.input.sha256 ?? null, heardEpoch };
}

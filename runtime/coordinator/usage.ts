/** What `rollout-coordinator --help` prints. */
export const USAGE: string = `Usage: rollout-coordinator --config coordinator.yaml [--advertise HOST:PORT] [--resume] [--retry-failed] [--rerun-damaged]

Owns a run: hands its items to workers, records exactly one outcome for each, and writes the output files at the end.
A second coordinator on the same state directory waits, and takes over when the first one ends.

  --config FILE    settings (docs/settings.md)
  --advertise HOST:PORT
                   stands above advertise in the settings: an address that is only known at the start
  --resume         go on with a run that is paused
  --retry-failed   run failed items again
  --rerun-damaged  run items again whose recorded outcome is damaged or gone

Exit codes: 0 done, 1 some items failed, 2 usage or settings, 3 fenced, 4 store or disk failed, 5 paused, 130 interrupted`;

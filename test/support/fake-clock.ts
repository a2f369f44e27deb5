import { renameSync, writeFileSync } from 'node:fs';
import { faketimeLibrary } from '../../scripts/system-packages.ts';

/** A wall clock that steps under running processes; their monotonic clock goes on as it does. */
export interface FakeClock {
  /** For the processes that are to have this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on, within a second, the wall clock is off by so much. */
  stepTo(offsetMs: number): void;
}

export function fakeClock(path: string): FakeClock {
  const library = faketimeLibrary();
  if (library === null) throw new Error('libfaketime is missing: apt-get install faketime (make test does so where it may)');
  const stepTo = (offsetMs: number): void => {
    // No process ever reads half of it.
    writeFileSync(`${path}.new`, `${offsetMs < 0 ? '' : '+'}${offsetMs / 1_000}`);
    renameSync(`${path}.new`, path);
  };
  stepTo(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    stepTo,
  };
}

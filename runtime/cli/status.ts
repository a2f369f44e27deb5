import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { lockHolder } from '../base/process-lock.ts';
import { type CliDeps, say, sayJson } from './deps.ts';
import { findRun } from './find-run.ts';
import { type LiveRun, markedAddress, openLiveRun } from './live-run.ts';
import { type StatePaths, statePaths } from './paths.ts';
import type { SeenStatus } from './run-status.ts';
import { statusPage } from './status-text.ts';
import { readProgress, requireStoredRun, type StoredRun, storedStatus } from './stored-run.ts';
import type { StatusArguments } from './verb-arguments.ts';

/** As often as a page of text can be read; the coordinator does not feel it. */
const WATCH_MS = 1_000;
/** A coordinator that is gone may be on its way back: so many looks without an answer, and without a `rollout run`, end the watch. */
const PATIENT_LOOKS = 10;

/** `rollout status`: from the live coordinator where one answers, else from the store. */
export async function status(deps: CliDeps, args: StatusArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  const live = await openLive(deps, paths, await requireStoredRun(paths));
  try {
    let silentLooks = 0;
    for (;;) {
      const seen = await see(paths, live);
      show(deps, args, seen, paths.stateDir);
      silentLooks = seen.isLive || seen.runPid !== null ? 0 : silentLooks + 1;
      if (!args.watch || live === null || seen.state.kind === 'completed' || silentLooks >= PATIENT_LOOKS || stop.signal.aborted)
        return EXIT.done;
      await deps.clock.sleep(WATCH_MS, stop.signal);
    }
  } finally {
    release();
    live?.close();
  }
}

function show(deps: CliDeps, args: StatusArguments, seen: SeenStatus, stateDir: string): void {
  if (args.json) sayJson(deps.out, seen);
  else say(deps.out, [...statusPage(seen, stateDir), ...(args.watch ? [''] : [])]);
}

/** Null where no coordinator has served the run yet. */
async function openLive(deps: CliDeps, paths: StatePaths, stored: StoredRun): Promise<LiveRun | null> {
  if (stored.served === null) return null;
  const address = async (): Promise<string | null> => markedAddress(paths);
  return openLiveRun({ tlsDir: stored.served.tlsDir, address, clock: deps.clock, log: deps.log });
}

async function see(paths: StatePaths, live: LiveRun | null): Promise<SeenStatus> {
  const told = (await live?.status()) ?? null;
  const runPid = (await lockHolder(paths.lock))?.pid ?? null;
  if (told !== null) return { ...told, isLive: true, runPid, silence: null };
  return { ...storedStatus(await requireStoredRun(paths), await readProgress(paths)), runPid, silence: live?.silence() ?? null };
}

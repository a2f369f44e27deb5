import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { type CliDeps, say, sayJson } from './deps.ts';
import { findRun } from './find-run.ts';
import { type LiveRun, markedAddress, openLiveRun } from './live-run.ts';
import { type StatePaths, statePaths } from './paths.ts';
import type { StatusArguments } from './program.ts';
import type { SeenStatus } from './run-status.ts';
import { statusPage } from './status-text.ts';
import { readProgress, requireStoredRun, storedStatus } from './stored-run.ts';

const WATCH_MS = 1_000;

/** `rollout status`: from the live coordinator where one answers, else from the store. */
export async function status(deps: CliDeps, args: StatusArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  await requireStoredRun(paths);
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  const live = await openLive(deps, paths);
  try {
    for (;;) {
      const seen = await see(paths, live);
      if (args.json) sayJson(deps.out, seen);
      else say(deps.out, [...statusPage(seen, paths.stateDir), ...(args.watch ? [''] : [])]);
      if (!args.watch || !seen.isLive || stop.signal.aborted) return EXIT.done;
      await deps.clock.sleep(WATCH_MS, stop.signal);
    }
  } finally {
    release();
    live?.close();
  }
}

/** Null where the run has no certificates yet: then nobody serves it either. */
async function openLive(deps: CliDeps, paths: StatePaths): Promise<LiveRun | null> {
  const address = async (): Promise<string | null> => markedAddress(paths);
  if ((await address()) === null) return null;
  return openLiveRun({ tlsDir: paths.tlsDir, address, clock: deps.clock, log: deps.log });
}

async function see(paths: StatePaths, live: LiveRun | null): Promise<SeenStatus> {
  const told = (await live?.status()) ?? null;
  if (told !== null) return { ...told, isLive: true };
  return storedStatus(await requireStoredRun(paths), await readProgress(paths));
}

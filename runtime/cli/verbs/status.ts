import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { lockHolder } from '../../base/fs/process-lock.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { findRun } from '../status/find-run.ts';
import { readEndReason } from '../status/last-end.ts';
import { type LiveRun, markedAddress, openLiveRun } from '../status/live-run.ts';
import { NO_WATCH, onLook, type SeenStatus, statusJson } from '../status/run-status.ts';
import { statusPage } from '../status/status-text.ts';
import { type Environment, readStanding } from '../status/stored-ledger.ts';
import { requireStoredRun, type StoredRun, storedStatus } from '../status/stored-run.ts';
import type { StatusArguments } from '../verb-arguments.ts';

/** As often as a page of text can be read; the coordinator does not feel it. */
const WATCH_MS = 1_000;

/** `rollout status`: from the live coordinator where one answers, else from the store. */
export async function status(deps: CliDeps, args: StatusArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  const live = await openLive(deps, paths, await requireStoredRun(paths));
  try {
    let watch = NO_WATCH;
    for (;;) {
      const seen = await see(deps.env, paths, live);
      const look = onLook(watch, seen, JSON.stringify(seen));
      watch = look.watch;
      if (look.isNews) show(deps, args, seen, paths.stateDir);
      if (!args.watch || live === null || look.isOver || stop.signal.aborted) return EXIT.done;
      await deps.clock.sleep(WATCH_MS, stop.signal);
    }
  } finally {
    release();
    live?.close();
  }
}

function show(deps: CliDeps, args: StatusArguments, seen: SeenStatus, stateDir: string): void {
  if (args.json) sayJson(deps.out, statusJson(seen));
  else say(deps.out, [...statusPage(seen, stateDir), ...(args.watch ? [''] : [])]);
}

/** Null where no coordinator has served the run yet. */
async function openLive(deps: CliDeps, paths: StatePaths, stored: StoredRun): Promise<LiveRun | null> {
  if (stored.served === null) return null;
  const address = async (): Promise<string | null> => markedAddress(paths);
  return openLiveRun({ tlsDir: stored.served.tlsDir, address, clock: deps.clock, log: deps.log });
}

async function see(env: Environment, paths: StatePaths, live: LiveRun | null): Promise<SeenStatus> {
  const told = (await live?.status()) ?? null;
  const runPid = (await lockHolder(paths.lock))?.pid ?? null;
  if (told !== null) return { ...told, isLive: true, runPid, silence: null, endReason: '', isExpired: false };
  const { kind, progress } = await readStanding(env, paths);
  const endReason = runPid === null ? await readEndReason(paths.lastEnd, progress.epoch) : '';
  const isExpired = kind === 'expired';
  return { ...storedStatus(await requireStoredRun(paths), progress), runPid, silence: live?.silence() ?? null, endReason, isExpired };
}

import { resolve } from 'node:path';
import { mustGet } from '../../base/assert.ts';
import { parseDurationMs } from '../../base/config/quantity.ts';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { DrainOrder, DrainReply } from '../../model/drain.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { findRun } from '../status/find-run.ts';
import { type LiveRun, markedAddress, openLiveRun } from '../status/live-run.ts';
import { readProgress } from '../status/stored-ledger.ts';
import { requireStoredRun } from '../status/stored-run.ts';
import type { DrainArguments } from '../verb-arguments.ts';
import { stepText } from './drain-text.ts';

/** Steps are shown as they come; the coordinator does not feel it. */
const LOOK_MS = 250;
/** A coordinator that is gone may be on its way back: ten seconds without an answer end the wait. */
const PATIENT_LOOKS = 40;

type Drained = Exclude<DrainReply, { readonly state: 'unknown' }>;

/** `rollout drain`: tells one worker to leave, and shows how it does until it has left. */
export async function drain(deps: CliDeps, worker: string, args: DrainArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const { served } = await requireStoredRun(paths);
  if (served === null) throw unreachable(paths);
  const address = async (): Promise<string | null> => markedAddress(paths);
  const live = await openLiveRun({ tlsDir: served.tlsDir, address, clock: deps.clock, log: deps.log });
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  try {
    return await new DrainWatch(deps, paths, live, args, stop.signal).run(worker);
  } finally {
    release();
    live.close();
  }
}

class DrainWatch {
  readonly #deps: CliDeps;
  readonly #paths: StatePaths;
  readonly #live: LiveRun;
  readonly #args: DrainArguments;
  readonly #stopped: AbortSignal;
  /** Steps that have been shown. */
  #shown = 0;

  constructor(deps: CliDeps, paths: StatePaths, live: LiveRun, args: DrainArguments, stopped: AbortSignal) {
    this.#deps = deps;
    this.#paths = paths;
    this.#live = live;
    this.#args = args;
    this.#stopped = stopped;
  }

  async run(worker: string): Promise<ExitCode> {
    const { wait, deadline, reason = 'ordered by rollout drain' } = this.#args;
    const deadlineMs = deadline === undefined ? null : mustGet(parseDurationMs(deadline), 'a checked duration');
    let order: DrainOrder = { workerId: worker, bootNonce: '', deadlineMs, reason };
    for (;;) {
      const reply = await this.#ask(order);
      if (reply === null) return this.#interrupted(worker, order);
      if (reply === 'over') return this.#end(worker, 'over', `the run is over, and ${worker} with it`, EXIT.done);
      if (reply.state === 'unknown') throw unknown(worker, reply.workers);
      this.#show(worker, reply);
      if (reply.state === 'left') return this.#end(worker, 'left', `${worker} has left`, EXIT.done);
      if (reply.state === 'lost')
        return this.#end(worker, 'lost', `${worker} was lost before it could leave; ${ELSEWHERE}`, EXIT.notReachable);
      if (!wait) return this.#end(worker, 'draining', `${worker} has been told to leave`, EXIT.done);
      order = { ...order, bootNonce: reply.bootNonce };
      await this.#deps.clock.sleep(LOOK_MS, this.#stopped);
    }
  }

  /** Null where the person has lost patience. */
  async #ask(order: DrainOrder): Promise<DrainReply | 'over' | null> {
    for (let look = 0; look < PATIENT_LOOKS && !this.#stopped.aborted; look += 1) {
      const answer = await this.#live.drain(order);
      if (answer.kind === 'reply') return answer.reply;
      if (answer.kind === 'refused') throw new RolloutError('USAGE', `the coordinator refuses the order: ${answer.detail}`);
      const { state } = await readProgress(this.#deps.env, this.#paths);
      if (state.kind === 'completed') return 'over';
      await this.#deps.clock.sleep(LOOK_MS, this.#stopped);
    }
    if (this.#stopped.aborted) return null;
    throw unreachable(this.#paths);
  }

  #show(worker: string, { steps }: Drained): void {
    const { out } = this.#deps;
    for (const step of steps.slice(this.#shown)) {
      if (this.#args.json) sayJson(out, { worker, ...step });
      else say(out, [`${worker}: ${stepText(step)}`]);
    }
    this.#shown = Math.max(this.#shown, steps.length);
  }

  #interrupted(worker: string, { bootNonce }: DrainOrder): ExitCode {
    const text = bootNonce === '' ? `${worker} was not told` : `${worker} goes on leaving; see \`rollout status\``;
    return this.#end(worker, bootNonce === '' ? 'unknown' : 'draining', text, EXIT.interrupted);
  }

  #end(worker: string, state: string, text: string, exit: ExitCode): ExitCode {
    if (this.#args.json) sayJson(this.#deps.out, { worker, state });
    else say(this.#deps.out, [text]);
    return exit;
  }
}

const ELSEWHERE = 'what it held goes to others';

function unknown(worker: string, workers: readonly string[]): RolloutError {
  // In the order of their names, not in that in which they have come.
  const known = workers.length === 0 ? 'none does now' : `these do: ${workers.toSorted().join(', ')}`;
  return new RolloutError('USAGE', `no worker ${worker} works on this run; ${known}`);
}

function unreachable({ stateDir }: StatePaths): RolloutError {
  return new RolloutError(
    'COORDINATOR_UNREACHABLE',
    `no coordinator of the run in ${stateDir} answers, so nobody can be told: see \`rollout status --state ${stateDir}\``,
  );
}

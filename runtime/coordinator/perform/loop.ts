import type { Clock, Timer } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import type { ResultsRoom } from '../../model/results-kind.ts';
import type { RunStatus } from '../../model/status.ts';
import type { CoordinatorCore } from '../../rpc/core.ts';
import { step } from '../machine/machine.ts';
import { statusOf } from '../progress/status.ts';
import type { Command, Token } from '../state/commands.ts';
import type { Fact } from '../state/facts.ts';
import type { State } from '../state/state.ts';
import { scanIntervalMs } from '../workers/failure.ts';
import { drainReply, hintReply } from '../workers/hints.ts';
import type { Perform } from './performer.ts';
import type { Replies } from './replies.ts';

export interface Loop extends CoordinatorCore {
  tell(fact: Fact): void;
  start(): void;
  /** Nothing is decided any more; callers that wait get `cause`. */
  stop(cause: Error): void;
}

export interface LoopOptions {
  readonly runId: string;
  readonly state: State;
  readonly clock: Clock;
  readonly replies: Replies;
  /** Whether the lease may be trusted. */
  readonly isFresh: () => boolean;
  /** Of results that have a limit. */
  readonly room: () => ResultsRoom | null;
  readonly indexed: () => { readonly count: number; readonly items: number | null };
  /** Made with the loop's `tell`, which it answers to. */
  readonly perform: (tell: (fact: Fact) => void) => Perform;
  readonly onFailure: (cause: unknown) => void;
}

/** A lease that is found to have run out at a scan is mostly renewed by the next: the process stood still, and goes on. */
const PATIENT_SCANS = 1;

/** One fact at a time goes to the machine; what it commands is carried out in order, and comes back as facts. */
export function createLoop(options: LoopOptions): Loop {
  const { state, clock, replies } = options;
  let timer: Timer | null = null;
  let isStopped = false;
  let isBusy = false;
  let unsureScans = 0;
  const facts: Fact[] = [];
  const tell = (fact: Fact): void => {
    facts.push(fact);
    // What comes while commands are carried out waits for the last of them: else its own would overtake them.
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = facts.shift(); next !== undefined && !isStopped; next = facts.shift())
        carryOut(step(state, clock.monotonicMs(), next));
    } catch (cause) {
      // The machine may have stopped in the middle of a step: nothing is decided from what it holds then.
      isStopped = true;
      options.onFailure(cause);
    } finally {
      isBusy = false;
    }
  };
  const perform = options.perform(tell);
  const carryOut = (commands: readonly Command[]): void => commands.forEach(perform);
  return {
    tell,
    start: () => {
      tell({ kind: 'started' });
      timer = clock.every(scanIntervalMs(state.settings), scan);
    },
    stop: (cause) => {
      isStopped = true;
      timer?.stop();
      replies.close(cause);
    },
    beat: (beat) => replies.open((token) => tell({ kind: 'beat', beat, token })),
    beats: (_worker, writer) => {
      const token = replies.openBeats(writer);
      return {
        onMessage: (beat) => tell({ kind: 'beat', beat, token: beat.isAsking ? token : null }),
        gone: () => replies.drop(token, callerHungUp()),
      };
    },
    poll: (poll, signal) =>
      replies.open(
        (token) => {
          signal.addEventListener('abort', () => hangUp(poll.workerId, token), { once: true });
          tell({ kind: 'poll', poll, token });
        },
        (token) => hangUp(poll.workerId, token),
      ),
    session: (worker, writer) => {
      const token = replies.openStream(writer, (written) => tell({ kind: 'written', worker, token: written }));
      return { onMessage: (poll) => tell({ kind: 'message', poll, token }), gone: () => hangUp(worker, token) };
    },
    deregister: (deregistration) => replies.open((token) => tell({ kind: 'deregister', deregistration, token })),
    drain: (order) => {
      tell({ kind: 'drain', order });
      return drainReply(state, order);
    },
    hint: (word) => {
      tell({ kind: 'hint', word });
      return hintReply(state, word);
    },
    status: (): RunStatus => statusOf(options.runId, state, clock.monotonicMs(), options.room()),
  };

  /** L46: while nobody knows who holds the lease, no worker is kept here, and no time passes for those that are away. */
  function scan(): void {
    unsureScans = options.isFresh() ? 0 : unsureScans + 1;
    if (unsureScans > PATIENT_SCANS) return replies.refuse(leaseUnsure());
    if (unsureScans > 0) return;
    tell({ kind: 'indexed', ...options.indexed() });
    tell({ kind: 'tick' });
  }

  function hangUp(worker: string, token: Token): void {
    tell({ kind: 'hung-up', worker, token });
    replies.drop(token, callerHungUp());
  }
}

function leaseUnsure(): RolloutError {
  return new RolloutError('COORDINATOR_UNREACHABLE', 'the lease of this coordinator has run out, and could not be renewed yet');
}

function callerHungUp(): RolloutError {
  return new RolloutError('COORDINATOR_UNREACHABLE', 'the caller hung up');
}

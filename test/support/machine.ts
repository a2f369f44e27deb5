import { checkState } from '../../runtime/coordinator/machine/check-state.ts';
import { step } from '../../runtime/coordinator/machine/machine.ts';
import type { Command } from '../../runtime/coordinator/state/commands.ts';
import type { Fact } from '../../runtime/coordinator/state/facts.ts';
import { stateFrom } from '../../runtime/coordinator/state/mirror.ts';
import type { State } from '../../runtime/coordinator/state/state.ts';
import { NO_FAULTS, type Returned } from '../../runtime/ledger/contract.ts';
import type { ItemRef, Row } from '../../runtime/model/row.ts';
import type { Assignment, HeldItem, Outcome, Poll, PollReply, WorkerState } from '../../runtime/model/session.ts';
import { type CommittedPart, factOf } from './committed-part.ts';
import { EPOCH, SETTINGS, type Start, scanOf } from './machine-start.ts';

/** The machine with a hand on its facts and an eye on everything it commands. */
export class Machine {
  readonly state: State;
  nowMs: number;
  /** What the machine commanded when it was started. */
  readonly started: readonly Command[];
  #token = 0;
  readonly #session = new Map<string, { session: number; poll: number }>();

  constructor(start: Start = {}) {
    this.nowMs = start.nowMs ?? 1_000;
    this.state = stateFrom({ ...SETTINGS, ...start.settings }, EPOCH, scanOf(start), this.nowMs);
    this.started = this.tell({ kind: 'started' });
  }

  tell(fact: Fact | CommittedPart): readonly Command[] {
    const commands = step(this.state, this.nowMs, factOf(fact));
    checkState(this.state);
    return commands;
  }

  /** The input is indexed and surveyed: `items` items, some of them invalid. */
  supply(items: number, invalid: readonly number[] = []): readonly Command[] {
    return [...this.tell({ kind: 'indexed', count: items, items }), ...this.tell({ kind: 'surveyed', upTo: items, invalid })];
  }

  token(): number {
    this.#token += 1;
    return this.#token;
  }

  beat(
    worker: string,
    more: {
      readonly boot?: string;
      readonly pid?: number;
      readonly highestEpoch?: number;
      readonly detail?: string;
      readonly says?: WorkerState;
      readonly concurrency?: number;
    } = {},
  ): readonly Command[] {
    const { boot = 'b1', pid = 7, highestEpoch = EPOCH, detail = '', concurrency = 4 } = more;
    const known = this.state.workers.get(worker)?.bootNonce ?? '';
    const beat = {
      workerId: worker,
      bootNonce: boot,
      // A boot that follows another one begins with `init`.
      state: more.says ?? (known === '' || known === boot ? ('ready' as const) : ('init' as const)),
      concurrency,
      pid,
      loopLagMs: 0,
      highestEpoch,
      detail,
      node: '',
      isAsking: true,
    };
    return this.tell({ kind: 'beat', beat, token: this.token() });
  }

  /** Registers a worker and opens its session. */
  join(
    worker: string,
    more: { readonly boot?: string; readonly pid?: number; readonly capacity?: number; readonly held?: readonly HeldItem[] } = {},
  ): readonly Command[] {
    const { boot = 'b1', capacity = 4, held = [] } = more;
    this.beat(worker, more);
    this.tell({ kind: 'registered', worker, bootNonce: boot });
    return this.poll(worker, { boot, capacity, hello: held });
  }

  poll(worker: string, more: Partial<Poll> & { readonly boot?: string } = {}): readonly Command[] {
    const { boot = 'b1', ...rest } = more;
    const known = this.#session.get(worker) ?? { session: 0, poll: 0 };
    const isHello = rest.hello !== undefined && rest.hello !== null;
    const next = isHello ? { session: known.session + 1, poll: 1 } : { session: known.session, poll: known.poll + 1 };
    this.#session.set(worker, next);
    const poll = messageOf(worker, { bootNonce: boot, ...next, waitMs: 20_000, ...rest });
    return this.tell({ kind: 'poll', poll, token: this.token() });
  }

  tick(nowMs: number): readonly Command[] {
    this.nowMs = nowMs;
    return this.tell({ kind: 'tick' });
  }

  /** Claims what the machine wants for one worker as the ledger would, loads the lines, and answers the commands that follow. */
  grantAll(commands: readonly Command[]): readonly Command[] {
    const claim = only(commands, 'claim', ...kinds(commands));
    let cursor = this.state.cursor;
    const results = claim.grants.map(({ picks }) => {
      const granted = picks.flatMap((pick) => {
        if ('index' in pick) return [{ from: pick.index, count: 1, attempt: pick.lastAttempt + 1 }];
        cursor = pick.cursor + pick.count;
        return [{ from: pick.cursor, count: pick.count, attempt: 1 }];
      });
      return { kind: 'claimed' as const, granted, found: [], cursor };
    });
    return this.tell({ kind: 'claimed', results });
  }

  load(commands: readonly Command[]): readonly Command[] {
    const { worker, refs } = only(commands, 'load', ...kinds(commands));
    return this.tell({ kind: 'loaded', worker, assignments: refs.map(assignmentOf) });
  }
}

/** What a worker of boot b1 says, be it in a poll or on a stream. */
export function messageOf(worker: string, more: Partial<Poll> = {}): Poll {
  return {
    workerId: worker,
    bootNonce: 'b1',
    session: 1,
    poll: 1,
    highestEpoch: EPOCH,
    hello: null,
    acknowledgedBatch: 0,
    isAwaiting: false,
    capacity: 0,
    outcomes: [],
    returns: [],
    started: [],
    drainSteps: [],
    waitMs: 0,
    ...more,
  };
}

export function assignmentOf(ref: ItemRef): Assignment {
  return { ...ref, line: Buffer.from(`item ${ref.index}`), lineNumber: ref.index + 1, form: 'batch' };
}

export function outcomeOf(ref: ItemRef, more: Partial<Outcome> = {}): Outcome {
  const sure = { isRetryable: false, isProbe: false, delayMs: 0 };
  return { ...ref, kind: 'result', line: Buffer.from('{}'), httpStatus: 200, code: '', ...sure, ...more };
}

export function failureOf(ref: ItemRef, more: Partial<Outcome> = {}): Outcome {
  return outcomeOf(ref, { kind: 'error', httpStatus: 500, code: 'http_500', isRetryable: true, delayMs: 500, ...more });
}

export function ofKind<K extends Command['kind']>(commands: readonly Command[], kind: K): readonly Extract<Command, { kind: K }>[] {
  return commands.filter((command): command is Extract<Command, { kind: K }> => command.kind === kind);
}

/** The one command of its kind. None or two fail the test, and so does one of a kind that is not named: nothing else may go out. */
export function only<K extends Command['kind']>(
  commands: readonly Command[],
  kind: K,
  ...beside: readonly Command['kind'][]
): Extract<Command, { kind: K }> {
  const [one, ...same] = ofKind(commands, kind);
  const said = JSON.stringify(kinds(commands));
  if (one === undefined || same.length > 0) throw new Error(`none or several '${kind}' in ${said}`);
  const more = commands.filter((command) => command.kind !== kind && !beside.includes(command.kind));
  if (more.length > 0) throw new Error(`beside '${kind}' went out what the test does not name: ${kinds(more).join(', ')} in ${said}`);
  return one;
}

export function okReply(commands: readonly Command[], ...beside: readonly Command['kind'][]): Extract<PollReply, { status: 'ok' }> {
  const { reply } = only(commands, 'reply-poll', ...beside);
  if (reply.status !== 'ok') throw new Error(`the poll was answered ${reply.status}`);
  return reply;
}

export function ref(index: number, attempt = 1, claimEpoch: number = EPOCH): ItemRef {
  return { index, attempt, claimEpoch };
}

export function rowFor(worker: string, attempt = 1, claimEpoch: number = EPOCH): Row {
  return { worker, attempt, claimEpoch };
}

/** Worker w1 of boot b1, with items 0 and 1 running. */
export function twoRunning(more: Start = {}): Machine {
  return new Machine({
    cursor: 2,
    running: [0, 1].map((index) => ({ index, row: rowFor('w1') })),
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
    ...more,
  });
}

export function heldItem(index: number, state: HeldItem['state'] = 'started', attempt = 1): HeldItem {
  return { ...ref(index, attempt), state };
}

/** A hand-back that the ledger has taken: the item is pending. */
export const RETURNED: Returned = { kind: 'returned', faults: NO_FAULTS, lastAttempt: 1, other: null };

/** The names of the commands, in order. */
export function kinds(commands: readonly Command[]): readonly Command['kind'][] {
  return commands.map((command) => command.kind);
}

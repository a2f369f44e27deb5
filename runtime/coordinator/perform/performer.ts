import { assertNever } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Events } from '../../base/events.ts';
import type { Log } from '../../base/log.ts';
import type { Fenced, Overtaken } from '../../ledger/contract.ts';
import type { CoordinatorLedger } from '../../ledger/views.ts';
import type { EventKind } from '../../model/event.ts';
import type { Epoch, ItemRef, Stamp } from '../../model/row.ts';
import type { Assignment, ItemForm, Outcome } from '../../model/session.ts';
import type { Command, SeenEpoch, StopOutcome } from '../state/commands.ts';
import type { Fact } from '../state/facts.ts';
import { rowOf } from '../state/item.ts';
import { MAX_BATCH_BYTES } from '../workers/delivery.ts';
import type { Cycle } from './cycle.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import { invalidOutcome, poisonOutcome } from './rejected-outcomes.ts';
import type { Replies } from './replies.ts';
import type { Source } from './source.ts';

/** How many items ahead one survey looks. */
const SURVEY_COUNT = 16_384;

export interface PerformerOptions {
  readonly epoch: Epoch;
  readonly ledger: CoordinatorLedger;
  readonly writer: LedgerWriter;
  readonly nextStamp: () => Stamp;
  readonly cycle: Cycle;
  readonly replies: Replies;
  readonly source: Source;
  readonly form: ItemForm;
  readonly events: Events;
  readonly log: Log;
  readonly clock: Clock;
  readonly exportResults: () => Promise<void>;
  readonly onStop: (outcome: StopOutcome, reason: string) => void;
  /** Takes what comes back: what a command has led to. */
  readonly tell: (fact: Fact) => void;
  readonly onFailure: (cause: unknown) => void;
  /** The lease is still held, and a worker has seen a higher epoch (L41). Rejects. */
  readonly onStoreBehind: (seen: SeenEpoch) => Promise<never>;
}

export type Perform = (command: Command) => void;

/** Carries out commands. Each is owned here: its failure ends the coordinator, since nothing of it can be taken back. */
export function createPerformer(options: PerformerOptions): Perform {
  const queue = new KeyedQueue();
  return (command) => {
    switch (command.kind) {
      case 'reply-beat':
        return options.replies.beat(command.token, command.reply);
      case 'reply-poll':
        return options.replies.poll(command.token, command.reply);
      case 'end-session':
        return options.replies.end(command.token);
      case 'reply-deregister':
        return options.replies.deregister(command.token, { epoch: command.epoch });
      case 'record':
        return options.cycle.record(command.recordings);
      case 'hand-back':
        return options.cycle.handBack(command.returns);
      case 'claim':
        return options.cycle.claim(command.grants);
      case 'emit':
        return emit(options, command.event);
      case 'stop':
        return options.onStop(command.outcome, command.reason);
      default:
        inOrder(queue, command, () => carryOut(options, command)).catch(options.onFailure);
    }
  };
}

/** The commands that take time, and come back as facts. */
type AsyncCommand = Exclude<
  Command,
  { readonly kind: 'reply-beat' | 'reply-poll' | 'reply-deregister' | 'end-session' | 'record' | 'hand-back' | 'claim' | 'emit' | 'stop' }
>;

/**
 * Commands about one worker reach the ledger in order: a repeated `forget` must not undo a later `register`, and rows are restored only
 * for a registered worker.
 */
function inOrder(queue: KeyedQueue, command: AsyncCommand, work: () => Promise<void>): Promise<void> {
  return command.kind === 'register' || command.kind === 'forget' || command.kind === 'restore' ? queue.run(command.worker, work) : work();
}

async function carryOut(options: PerformerOptions, command: AsyncCommand): Promise<void> {
  const { tell, ledger, epoch, writer } = options;
  switch (command.kind) {
    case 'reassign':
      return reassign(options, command);
    case 'restore':
      return restore(options, command);
    case 'second':
      return second(options, command);
    case 'look':
      return look(options, command);
    case 'load':
      return load(options, command);
    case 'reject':
      return rejectItem(options, command);
    case 'survey':
      return survey(options, command.from);
    case 'register':
      return register(options, command);
    case 'forget':
      return then(
        numbered(options, (by) => ledger.forget(by, command.worker)),
        () => tell({ kind: 'forgotten', token: command.token }),
      );
    case 'pause':
      return then(
        numbered(options, (by) => ledger.pause(by, command.reason)),
        () => tell({ kind: 'paused' }),
      );
    case 'finish':
      return finish(options, command.items);
    case 'export':
      await options.exportResults();
      return tell({ kind: 'exported' });
    case 'check-lease':
      // The lease is looked at by any write; this one changes nothing.
      return then(
        writer.write(() => ledger.look(epoch, [])),
        () => (command.seen === null ? undefined : options.onStoreBehind(command.seen)),
      );
    default:
      return assertNever(command);
  }
}

/** Asked again, a request keeps its number (L38). */
function numbered<T extends { readonly kind: string }>(
  { writer, nextStamp }: PerformerOptions,
  verb: (by: Stamp) => Promise<T | Fenced | Overtaken>,
): Promise<T | null> {
  const by = nextStamp();
  return writer.write(() => verb(by));
}

async function then<T>(written: Promise<T | null>, go: (reply: T) => void | Promise<void>): Promise<void> {
  const reply = await written;
  if (reply !== null) await go(reply);
}

async function reassign(
  { epoch, ledger, writer, tell }: PerformerOptions,
  { moves }: Extract<Command, { kind: 'reassign' }>,
): Promise<void> {
  const reply = await writer.write(() => ledger.reassign(epoch, moves));
  if (reply !== null) tell({ kind: 'reassigned', moves, verdicts: reply.kind === 'gone' ? null : reply.verdicts });
}

async function restore(
  { epoch, ledger, writer, tell }: PerformerOptions,
  { worker, rows }: Extract<Command, { kind: 'restore' }>,
): Promise<void> {
  const reply = await writer.write(() => ledger.restore(epoch, rows));
  if (reply?.kind === 'restored') tell({ kind: 'restored', worker, rows, verdicts: reply.verdicts });
}

async function second(
  { epoch, ledger, writer, tell }: PerformerOptions,
  { worker, rows }: Extract<Command, { kind: 'second' }>,
): Promise<void> {
  const reply = await writer.write(() => ledger.second(epoch, worker, rows));
  if (reply !== null) tell({ kind: 'second-attempts', worker, rows, verdicts: reply.kind === 'gone' ? null : reply.verdicts });
}

async function look({ epoch, ledger, writer, tell }: PerformerOptions, command: Extract<Command, { kind: 'look' }>): Promise<void> {
  const { worker, outcomes } = command;
  const rows = outcomes.map((outcome) => ({ index: outcome.index, row: rowOf(worker, outcome) }));
  const reply = await writer.write(() => ledger.look(epoch, rows));
  if (reply !== null) tell({ kind: 'looked', worker, outcomes, verdicts: reply.verdicts });
}

async function load({ source, form, tell }: PerformerOptions, { worker, refs }: Extract<Command, { kind: 'load' }>): Promise<void> {
  const lines = await source.lines(
    refs.map((ref) => ref.index),
    MAX_BATCH_BYTES,
  );
  const assignments = lines.map(({ line, lineNumber }, at): Assignment => {
    const { index, attempt, claimEpoch } = refs[at] as ItemRef;
    return { index, attempt, claimEpoch, line, lineNumber, form };
  });
  tell({ kind: 'loaded', worker, assignments });
}

/** The error lines of items that nobody executes, or not again, as outcomes of the coordinator itself (L15). */
async function rejectItem({ source, form, tell }: PerformerOptions, { refs, why }: Extract<Command, { kind: 'reject' }>): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const ref of refs) outcomes.push(why === 'invalid' ? await invalidOutcome(source, ref) : await poisonOutcome(source, form, ref));
  tell({ kind: 'rejected', outcomes });
}

async function survey({ source, tell }: PerformerOptions, from: number): Promise<void> {
  const { upTo, invalid } = await source.survey(from, SURVEY_COUNT);
  tell({ kind: 'indexed', ...source.indexed() });
  tell({ kind: 'surveyed', upTo, invalid });
}

async function register(options: PerformerOptions, { worker, info }: Extract<Command, { kind: 'register' }>): Promise<void> {
  const { ledger, tell, clock } = options;
  const registered = { ...info, registeredAtMs: clock.wallMs() };
  const reply = await numbered(options, (by) => ledger.register(by, worker, registered));
  if (reply !== null) tell({ kind: 'registered', worker, bootNonce: info.bootNonce });
}

async function finish(options: PerformerOptions, items: number): Promise<void> {
  const { ledger, tell } = options;
  const reply = await numbered(options, (by) => ledger.finish(by, items));
  if (reply === null) return;
  if (reply.kind === 'unfinished') throw new Error('mirror and ledger differ on whether the run is over', { cause: reply.progress });
  tell({ kind: 'finished' });
}

function emit({ events, log }: PerformerOptions, event: Extract<Command, { kind: 'emit' }>['event']): void {
  events.emit(event);
  const message = LOGGED[event.kind];
  if (message === undefined) return;
  const { kind: _, ...fields } = event;
  log.warn(fields, message);
}

/** Events that the log repeats, for people who read only the log. */
const LOGGED: Partial<Readonly<Record<EventKind, string>>> = {
  worker_failed: 'worker failed',
  worker_waits: 'a worker takes no items',
  items_wait: 'items wait for another try',
  run_stalled: 'no item has ended for long',
};

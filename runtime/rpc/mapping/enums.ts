import type { DrainReply, HintWord } from '../../model/drain.ts';
import type { Provider } from '../../model/hint.ts';
import type { RunState } from '../../model/run.ts';
import type { DrainStepKind, HeldState, ItemForm, Order, PollReply, ReturnReason, WorkerState } from '../../model/session.ts';
import type { Role, WorkerStatus } from '../../model/status.ts';
import { Role as WireRole } from '../gen/rollout/v1/coordinator_pb.ts';
import { DrainState as WireDrainState, Provider as WireProvider, Severity as WireSeverity } from '../gen/rollout/v1/run_pb.ts';
import {
  DrainStepKind as WireDrainStepKind,
  HeldState as WireHeldState,
  ItemForm as WireItemForm,
  Order as WireOrder,
  PollStatus as WirePollStatus,
  ReturnReason as WireReturnReason,
  WorkerState as WireWorkerState,
} from '../gen/rollout/v1/worker_pb.ts';

/**
 * Every enum of the wire with the words of the model. A table does not compile while a name of the wire or a word of the model
 * is missing: the first list is complete by its keys, the second by `Covers`.
 */
export interface EnumTable<Word extends string, Wire> {
  readonly toWire: Readonly<Record<Word, Wire>>;
  readonly fromWire: ReadonlyMap<number, Word>;
}

type Names<Wire> = Exclude<keyof Wire, 'UNSPECIFIED'>;
/** The table itself when its words are all words of the model, else never. */
type Covers<Word extends string, Table> = [Word] extends [Table[keyof Table]] ? Table : never;

function table<Word extends string>() {
  return <Wire extends Readonly<Record<string, number>>, const Table extends Readonly<Record<Names<Wire>, Word>>>(
    wire: Wire,
    words: Table & Covers<Word, Table>,
  ): EnumTable<Word, Wire[keyof Wire]> => {
    const pairs = Object.entries(words as Readonly<Record<string, Word>>).map(([name, word]) => [wire[name] ?? 0, word] as const);
    const toWire = Object.fromEntries(pairs.map(([number, word]) => [word, number])) as Record<Word, Wire[keyof Wire]>;
    return { toWire, fromWire: new Map(pairs) };
  };
}

export const WORKER_STATES: EnumTable<WorkerState, WireWorkerState> = table<WorkerState>()(WireWorkerState, {
  INIT: 'init',
  READY: 'ready',
  NOT_READY: 'not-ready',
  DRAINING: 'draining',
});

export const HELD_STATES: EnumTable<HeldState, WireHeldState> = table<HeldState>()(WireHeldState, {
  QUEUED: 'queued',
  STARTED: 'started',
  FINISHED: 'finished',
});

export const RETURN_REASONS: EnumTable<ReturnReason, WireReturnReason> = table<ReturnReason>()(WireReturnReason, {
  DRAINED: 'drained',
  UNAVAILABLE: 'unavailable',
  THROTTLED: 'throttled',
  QUOTA: 'quota',
  RECALLED: 'recalled',
  REFUSED: 'refused',
});

export const DRAIN_STEPS: EnumTable<DrainStepKind, WireDrainStepKind> = table<DrainStepKind>()(WireDrainStepKind, {
  STOPPED_PULLING: 'stopped-pulling',
  RETURNED_UNSTARTED: 'returned-unstarted',
  FINISHING: 'finishing',
  RETURNED_STARTED: 'returned-started',
  LEAVING: 'leaving',
  WITHDRAWN: 'withdrawn',
});

export const ITEM_FORMS: EnumTable<ItemForm, WireItemForm> = table<ItemForm>()(WireItemForm, { BATCH: 'batch', RAW: 'raw' });

export const ORDERS: EnumTable<Order, WireOrder> = table<Order>()(WireOrder, {
  WORK: 'work',
  HOLD: 'hold',
  DRAIN: 'drain',
  FINISHED: 'finished',
});

export const POLL_STATUSES: EnumTable<PollReply['status'], WirePollStatus> = table<PollReply['status']>()(WirePollStatus, {
  OK: 'ok',
  HELLO_NEEDED: 'hello-needed',
  SUPERSEDED: 'superseded',
});

export const ROLES: EnumTable<Role, WireRole> = table<Role>()(WireRole, { PASSIVE: 'passive', PRIMARY: 'primary' });

export const DRAIN_REPLY_STATES: EnumTable<DrainReply['state'], WireDrainState> = table<DrainReply['state']>()(WireDrainState, {
  UNKNOWN: 'unknown',
  DRAINING: 'draining',
  LEFT: 'left',
  LOST: 'lost',
});

export const HINT_SEVERITIES: EnumTable<HintWord['severity'], WireSeverity> = table<HintWord['severity']>()(WireSeverity, {
  HINT: 'hint',
  DRAIN: 'drain',
  GONE: 'gone',
  WITHDRAWN: 'withdrawn',
});

export const PROVIDER_NAMES: EnumTable<Provider, WireProvider> = table<Provider>()(WireProvider, {
  AWS: 'aws',
  GCP: 'gcp',
  AZURE: 'azure',
});

/** Words that travel as text. */
export const RUN_STATES: Readonly<Record<RunState['kind'], true>> = { running: true, paused: true, completed: true };

export const STATUS_STATES: Readonly<Record<WorkerStatus['state'], true>> = {
  init: true,
  ready: true,
  'not-ready': true,
  draining: true,
  suspected: true,
};

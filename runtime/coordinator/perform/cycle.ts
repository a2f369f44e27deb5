import { assert, mustGet } from '../../base/assert.ts';
import type { Committed as CommitReply, CommitRequest, Gone, HandBack, Settlement } from '../../ledger/contract.ts';
import type { CoordinatorLedger } from '../../ledger/views.ts';
import { type Epoch, isRowOf, type Row } from '../../model/row.ts';
import type { ResultLog } from '../../results/log/contract.ts';
import type { Grant, Recording } from '../state/commands.ts';
import type { Committed, Fact } from '../state/facts.ts';
import { rowOf } from '../state/item.ts';
import type { LedgerWriter } from './ledger-writer.ts';

/** Bytes and outcomes of one cycle: one durable write carries so much. */
const MAX_APPEND_BYTES = 8 * 1024 * 1024;
const MAX_APPEND_FRAMES = 4_096;

/**
 * What a run writes over and over. While one cycle is under way, the next gathers and takes all that has come: it appends outcomes to the
 * result log and syncs them, commits one transaction of the ledger (settlements, hand-backs, claims), and tells the machine all of it
 * together (L18). So the more there is to do, the more a cycle carries.
 */
export interface Cycle {
  record(recordings: readonly Recording[]): void;
  handBack(returns: readonly HandBack[]): void;
  /** A round; the machine plans the next when it has heard of this one. */
  claim(grants: readonly Grant[]): void;
}

/** What the cycles of a coordinator have written, since its start. */
export interface WriteCounts {
  /** Writes of the result log, each synced. */
  appends: number;
  outcomes: number;
  /** Of the outcomes' lines. */
  bytes: number;
  /** Transactions of the ledger. */
  commits: number;
}

export function noWrites(): WriteCounts {
  return { appends: 0, outcomes: 0, bytes: 0, commits: 0 };
}

export interface CycleOptions {
  readonly epoch: Epoch;
  readonly log: Pick<ResultLog, 'append'>;
  readonly ledger: Pick<CoordinatorLedger, 'commit'>;
  readonly writer: LedgerWriter;
  readonly tell: (fact: Extract<Fact, { readonly kind: 'committed' }>) => void;
  readonly onFailure: (cause: unknown) => void;
  /** The place of the results has no room for what came: why, and what to do. */
  readonly onFull: (reason: string) => void;
  /** Counted up with each write that has succeeded. */
  readonly writes: WriteCounts;
}

interface Gathered {
  recordings: Recording[];
  returns: HandBack[];
  grants: readonly Grant[];
}

export function createCycle(options: CycleOptions): Cycle {
  const gathered: Gathered = { recordings: [], returns: [], grants: [] };
  let isUnderWay = false;
  const run = async (): Promise<void> => {
    isUnderWay = true;
    // What the machine commands in one go is gathered before the first of it is written.
    await Promise.resolve();
    while (!isEmpty(gathered)) await once(options, take(gathered));
    isUnderWay = false;
  };
  const begin = (): void => {
    if (!isUnderWay) run().catch(options.onFailure);
  };
  return {
    record: (recordings) => {
      // Not by a spread: all items of a long list may come back at once.
      for (const recording of recordings) gathered.recordings.push(recording);
      begin();
    },
    handBack: (returns) => {
      for (const one of returns) gathered.returns.push(one);
      begin();
    },
    claim: (grants) => {
      assert(gathered.grants.length === 0, 'one round of claims at a time');
      gathered.grants = grants;
      begin();
    },
  };
}

function isEmpty({ recordings, returns, grants }: Gathered): boolean {
  return recordings.length + returns.length + grants.length === 0;
}

/** All that has gathered, and of outcomes as many as one append carries. */
function take(gathered: Gathered): Readonly<Gathered> {
  const { returns, grants } = gathered;
  gathered.returns = [];
  gathered.grants = [];
  return { recordings: takeRecordings(gathered.recordings), returns, grants };
}

function takeRecordings(pending: Recording[]): Recording[] {
  let bytes = 0;
  let count = 0;
  while (count < pending.length && count < MAX_APPEND_FRAMES) {
    bytes += mustGet(pending[count], 'recording').outcome.line.length;
    if (count > 0 && bytes > MAX_APPEND_BYTES) break;
    count += 1;
  }
  return pending.splice(0, count);
}

/** The order of effects: the log is durable, then the ledger commits, then the machine hears it, and only then the workers. */
async function once(options: CycleOptions, taken: Readonly<Gathered>): Promise<void> {
  if (taken.recordings.length > 0 && !(await append(options, taken.recordings))) return;
  await commit(options, taken);
}

/**
 * One that stood still looks at its lease first: where another coordinator has taken over, not even its own segment grows any more (L5).
 * False: it has lost the lease, or there is no room, and nothing was written.
 */
async function append({ writer, log, onFull, writes }: CycleOptions, recordings: readonly Recording[]): Promise<boolean> {
  const appended = await writer.write(() => log.append(recordings.map(({ outcome }) => outcome)));
  if (appended?.kind === 'full') onFull(appended.reason);
  if (appended?.kind !== 'appended') return false;
  writes.appends += 1;
  writes.outcomes += recordings.length;
  for (const { outcome } of recordings) writes.bytes += outcome.line.length;
  return true;
}

/** One of unknown fate is asked again exactly as it was (L8, L20). The machine hears only what is committed (L16). */
async function commit({ epoch, ledger, writer, tell, writes }: CycleOptions, taken: Readonly<Gathered>): Promise<void> {
  const { recordings, returns, grants } = taken;
  const request: CommitRequest = { settles: settlementsOf(recordings), handBacks: returns, claims: grants };
  const reply = await writer.write(() => ledger.commit(epoch, request));
  if (reply === null) return;
  writes.commits += 1;
  tell({ kind: 'committed', ...(reply.kind === 'gone' ? whenGone(taken, reply) : whenCommitted(taken, reply)) });
}

function whenCommitted({ recordings, returns }: Readonly<Gathered>, { settled, handedBack, claimed }: CommitReply): Committed {
  return { recordings, verdicts: settled, returns, handedBack, claimed };
}

/** After a finish every item is recorded, and there is nothing left to hand back. */
function whenGone({ recordings, grants }: Readonly<Gathered>, gone: Gone): Committed {
  return { recordings, verdicts: recordings.map(() => 'recorded'), returns: [], handedBack: [], claimed: grants.map(() => gone) };
}

/** Neighbours are mostly of the same row, and share it. */
function settlementsOf(recordings: readonly Recording[]): readonly Settlement[] {
  let row: Row | null = null;
  return recordings.map(({ worker, outcome }) => {
    if (row === null || !isRowOf(row, worker, outcome)) row = rowOf(worker, outcome);
    return { index: outcome.index, row, isResult: outcome.kind === 'result' };
  });
}

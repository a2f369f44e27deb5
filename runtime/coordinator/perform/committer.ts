import { assert } from '../../base/assert.ts';
import type { CommitRequest, Committed, Gone, HandBack, Ledger, Settlement } from '../../ledger/contract.ts';
import { type Epoch, isRowOf, type Row } from '../../model/row.ts';
import type { Grant, Recording } from '../state/commands.ts';
import type { Fact } from '../state/facts.ts';
import { rowOf } from '../state/item.ts';
import type { LedgerWriter } from './ledger-writer.ts';

/**
 * What a run writes to the ledger over and over. While one transaction is under way, the next gathers; it takes all that has come, and
 * the machine hears of all of it together. Nothing here waits for the result log: outcomes come when they are durable in it (L18).
 */
export interface Committer {
  settle(recordings: readonly Recording[]): void;
  handBack(returns: readonly HandBack[]): void;
  /** A round; the machine plans the next when it has heard of this one. */
  claim(grants: readonly Grant[]): void;
}

export interface CommitterOptions {
  readonly epoch: Epoch;
  readonly ledger: Pick<Ledger, 'commit'>;
  readonly writer: LedgerWriter;
  readonly tell: (fact: Fact) => void;
  readonly onFailure: (cause: unknown) => void;
}

interface Gathered {
  readonly recordings: Recording[];
  readonly returns: HandBack[];
  grants: readonly Grant[];
}

export function createCommitter(options: CommitterOptions): Committer {
  let gathered = nothing();
  let isCommitting = false;
  const commitAll = async (): Promise<void> => {
    isCommitting = true;
    // What the machine commands in one go is gathered before the first of it is written.
    await Promise.resolve();
    while (!isEmpty(gathered)) {
      const taken = gathered;
      gathered = nothing();
      await commit(options, taken);
    }
    isCommitting = false;
  };
  const begin = (): void => {
    if (!isCommitting) commitAll().catch(options.onFailure);
  };
  return {
    settle: (recordings) => {
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

function nothing(): Gathered {
  return { recordings: [], returns: [], grants: [] };
}

function isEmpty({ recordings, returns, grants }: Gathered): boolean {
  return recordings.length + returns.length + grants.length === 0;
}

/** One of unknown fate is asked again exactly as it was (L8, L20). The machine hears only what is committed (L16). */
async function commit({ epoch, ledger, writer, tell }: CommitterOptions, taken: Gathered): Promise<void> {
  const { recordings, returns, grants } = taken;
  const request: CommitRequest = { settles: settlementsOf(recordings), handBacks: returns, claims: grants };
  const reply = await writer.write(() => ledger.commit(epoch, request));
  if (reply === null) return;
  const { settled, handedBack, claimed } = reply.kind === 'gone' ? whenGone(taken, reply) : reply;
  if (recordings.length > 0) tell({ kind: 'recorded', recordings, verdicts: settled });
  if (handedBack.length > 0) tell({ kind: 'handed-back', returns, results: handedBack });
  if (grants.length > 0) tell({ kind: 'claimed', results: claimed });
}

/** After a finish every item is recorded, and there is nothing left to hand back. */
function whenGone({ recordings, grants }: Gathered, gone: Gone): Omit<Committed, 'kind'> {
  return { settled: recordings.map(() => 'recorded'), handedBack: [], claimed: grants.map(() => gone) };
}

/** Neighbours are mostly of the same row, and share it. */
function settlementsOf(recordings: readonly Recording[]): readonly Settlement[] {
  let row: Row | null = null;
  return recordings.map(({ worker, outcome }) => {
    if (row === null || !isRowOf(row, worker, outcome)) row = rowOf(worker, outcome);
    return { index: outcome.index, row, isResult: outcome.kind === 'result' };
  });
}

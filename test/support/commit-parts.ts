import { mustGet } from '../../runtime/base/assert.ts';
import type {
  Claimed,
  Pick as ClaimPick,
  CommitRequest,
  Committed,
  Fenced,
  Gone,
  HandBack,
  HandBackVerdict,
  Ledger,
  SettleVerdict,
} from '../../runtime/ledger/contract.ts';
import type { Decision, Rows } from '../../runtime/ledger/rows.ts';
import { commit } from '../../runtime/ledger/rules/commit.ts';
import type { Epoch, ItemRef, WorkerId } from '../../runtime/model/row.ts';

/** Commits of one kind of work alone, for tests that are about that kind. Of a ledger, or of the rulebook over rows. */

const NOTHING: CommitRequest = { settles: [], handBacks: [], claims: [] };

export interface Outcome extends ItemRef {
  readonly isResult: boolean;
}

type Answer<T> = T | Gone | Fenced;
interface Settled {
  readonly kind: 'settled';
  readonly verdicts: readonly SettleVerdict[];
}
interface HandedBack {
  readonly kind: 'returned';
  readonly verdicts: readonly HandBackVerdict[];
}

export function claimRequest(worker: WorkerId, picks: readonly ClaimPick[]): CommitRequest {
  return { ...NOTHING, claims: [{ worker, picks }] };
}

export function settleRequest(worker: WorkerId, outcomes: readonly Outcome[]): CommitRequest {
  const settles = outcomes.map(({ index, attempt, claimEpoch, isResult }) => ({ index, row: { worker, attempt, claimEpoch }, isResult }));
  return { ...NOTHING, settles };
}

export function handBackRequest(handBacks: readonly HandBack[]): CommitRequest {
  return { ...NOTHING, handBacks };
}

function claimedOf(reply: Answer<Committed>): Answer<Claimed> {
  return reply.kind === 'committed' ? mustGet(reply.claimed[0], 'the answer to a claim') : reply;
}

function settledOf(reply: Answer<Committed>): Answer<Settled> {
  return reply.kind === 'committed' ? { kind: 'settled', verdicts: reply.settled } : reply;
}

function handedBackOf(reply: Answer<Committed>): Answer<HandedBack> {
  return reply.kind === 'committed' ? { kind: 'returned', verdicts: reply.handedBack } : reply;
}

type Commits = Pick<Ledger, 'commit'>;

export async function claim(ledger: Commits, epoch: Epoch, worker: WorkerId, picks: readonly ClaimPick[]): Promise<Answer<Claimed>> {
  return claimedOf(await ledger.commit(epoch, claimRequest(worker, picks)));
}

export async function settle(ledger: Commits, epoch: Epoch, worker: WorkerId, outcomes: readonly Outcome[]): Promise<Answer<Settled>> {
  return settledOf(await ledger.commit(epoch, settleRequest(worker, outcomes)));
}

export async function handBack(ledger: Commits, epoch: Epoch, returns: readonly HandBack[]): Promise<Answer<HandedBack>> {
  return handedBackOf(await ledger.commit(epoch, handBackRequest(returns)));
}

export function decideClaim(rows: Rows, epoch: Epoch, worker: WorkerId, picks: readonly ClaimPick[]): Decision<Answer<Claimed>> {
  const { reply, writes } = commit(rows, epoch, claimRequest(worker, picks));
  return { reply: claimedOf(reply), writes };
}

export function decideSettle(rows: Rows, epoch: Epoch, worker: WorkerId, outcomes: readonly Outcome[]): Decision<Answer<Settled>> {
  const { reply, writes } = commit(rows, epoch, settleRequest(worker, outcomes));
  return { reply: settledOf(reply), writes };
}

export function decideHandBack(rows: Rows, epoch: Epoch, returns: readonly HandBack[]): Decision<Answer<HandedBack>> {
  const { reply, writes } = commit(rows, epoch, handBackRequest(returns));
  return { reply: handedBackOf(reply), writes };
}

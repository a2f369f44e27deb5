import type { HandBack } from '../../runtime/ledger/contract.ts';
import { type Row, refKey } from '../../runtime/model/row.ts';
import type { HeldItem, Poll, PollReply } from '../../runtime/model/session.ts';
import type { Checking } from './checking.ts';
import { keyOf, type SeenItems } from './seen-items.ts';
import type { SimProcess } from './sim-process.ts';

/** L27: the answer to a hello revokes what waits at the worker and has no row any more, as far as the coordinator knows that; what has started may be restored (L44). */
export class HelloChecker {
  readonly #checking: Checking;
  readonly #items: SeenItems;
  readonly #servingSinceMs = new Map<SimProcess, number>();
  /** Rows that the ledger has told this process it took. */
  readonly #toldTaken = new Map<SimProcess, Set<string>>();
  /** The newest session that each process has heard of each boot. */
  readonly #sessions = new Map<string, number>();

  constructor(checking: Checking, items: SeenItems) {
    this.#checking = checking;
    this.#items = items;
  }

  /** It has scanned: whatever happened before, it knows. */
  onServing(process: SimProcess): void {
    this.#servingSinceMs.set(process, this.#checking.nowMs());
  }

  onHandedBack(process: SimProcess, returns: readonly HandBack[]): void {
    const told = this.#toldTaken.get(process) ?? new Set();
    this.#toldTaken.set(process, told);
    for (const { index, row } of returns) told.add(`${index} ${keyOf(row)}`);
  }

  /** A message of a worker arrives. Answers what is to be done with the reply to it; null where it opens no session. */
  onHeard(process: SimProcess, { hello, workerId, bootNonce, session }: Poll): ((reply: PollReply) => void) | null {
    const key = `${process.name} ${workerId} ${bootNonce}`;
    if (hello === null || session <= (this.#sessions.get(key) ?? 0)) return null;
    this.#sessions.set(key, session);
    const gone = hello.filter((held) => held.state === 'queued' && this.#isKnownGone(process, workerId, held));
    return (reply) => {
      if (reply.status !== 'ok' || this.#sessions.get(key) !== session) return;
      const revoked = new Set(reply.revoked.map(refKey));
      for (const held of gone) {
        this.#checking.count('revoked at a hello');
        const what = `${refKey(held)}, which waits at ${workerId}`;
        this.#checking.hold(
          'L27',
          revoked.has(refKey(held)),
          `${what}, has no row any more, and the answer to the hello does not revoke it`,
        );
      }
    };
  }

  #isKnownGone(process: SimProcess, worker: string, { index, attempt, claimEpoch }: HeldItem): boolean {
    const row: Row = { worker, attempt, claimEpoch };
    const { rows, takenMs, takenFor, record } = this.#items.item(index);
    if (record !== null || rows.some((one) => keyOf(one) === keyOf(row)) || (takenFor.get(keyOf(row)) ?? 'stolen') === 'stolen')
      return false;
    const isTold = this.#toldTaken.get(process)?.has(`${index} ${keyOf(row)}`) === true;
    return isTold || takenMs < (this.#servingSinceMs.get(process) ?? 0);
  }
}

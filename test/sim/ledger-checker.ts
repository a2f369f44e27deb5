import type {
  Claimed,
  CommitRequest,
  Committed,
  Faults,
  Gone,
  HandBack,
  HandBackVerdict,
  Move,
  Settlement,
} from '../../runtime/ledger/contract.ts';
import {
  type Attempt,
  COORDINATOR_WORKER,
  type Epoch,
  type ItemIndex,
  isSameRow,
  type Row,
  type Stamp,
  type WorkerId,
} from '../../runtime/model/row.ts';
import type { Timing } from '../../runtime/model/timing.ts';
import { grantedItems } from '../support/ledger-start.ts';
import type { Checking } from './checking.ts';
import { LeaseChecker } from './lease-checker.ts';
import { keyOf, type SeenItem, SeenItems } from './seen-items.ts';
import type { SimProcess } from './sim-process.ts';

interface Named {
  readonly index: ItemIndex;
  readonly row: Row;
}
interface Verdict {
  readonly kind: string;
  readonly attempt?: Attempt;
}
/** Every answer of a verb that names an epoch, as far as it is looked at. */
interface Answer {
  readonly kind: string;
  readonly epoch?: Epoch;
  readonly verdicts?: readonly (string | Verdict)[];
}

/** These name a stamp in the place of an epoch (L38). */
const NUMBERED: ReadonlySet<string> = new Set(['register', 'forget', 'pause', 'resume', 'finish', 'reopen']);
const WITHOUT_EPOCH: ReadonlySet<string> = new Set(['readLease', 'acquire', 'renew', 'release', 'progress', 'bits', 'tallies']);
/** So many writes lie between two scans, which count everything again (L6). */
const SCAN_EVERY = 40;
const POISON_CRASHES = 3;

/**
 * The rules of the ledger a second time, from the outside: it sees every call in the order in which the store carried them out, keeps its
 * own books, and says where an answer is not what the rules allow.
 */
export class LedgerChecker {
  readonly lease: LeaseChecker;
  readonly items: SeenItems = new SeenItems();
  /** Boot of each worker that is registered. */
  readonly boots: Map<WorkerId, string> = new Map();
  /** For which boot a row was given, and when. */
  readonly givenTo: Map<string, { readonly boot: string; readonly atMs: number }> = new Map();
  /** Of which rows the store has told which process that they are stale (L29). */
  readonly toldStale: Set<string> = new Set();
  readonly #checking: Checking;
  #writes = 0;

  constructor(checking: Checking, timing: Timing) {
    this.#checking = checking;
    this.lease = new LeaseChecker(checking, timing);
  }

  observe(verb: string, args: readonly unknown[], answer: unknown, process: SimProcess): void {
    const { trace } = this.#checking;
    const reply = answer as Answer | null;
    trace.note(verb, `${reply?.kind ?? ''} ${process.name}`);
    if (trace.isKept && verb !== 'readLease') trace.note(verb, JSON.stringify([args, answer]));
    if (WITHOUT_EPOCH.has(verb)) return this.lease.observe(verb, args, answer, process);
    const epoch = NUMBERED.has(verb) ? (args[0] as Stamp).epoch : (args[0] as Epoch);
    if (reply === null || !this.lease.isUnder(epoch, reply, `${verb} of ${process.name}`)) return;
    this.#take(verb, epoch, args, reply);
    if (verb === 'look') this.#onLooked(process, args[1] as readonly Named[], reply);
    if (verb !== 'look' && verb !== 'scan') this.#scanNowAndThen();
  }

  #take(verb: string, epoch: Epoch, args: readonly unknown[], reply: Answer): void {
    const [, who] = args as readonly [Epoch, WorkerId];
    const take = {
      commit: () => this.#onCommitted(epoch, args[1] as CommitRequest, reply as Committed | Gone),
      look: () => this.#each<Named>(args[1], reply, 'looked', ({ index, row }, said) => this.#expect('L11', index, row, said as string)),
      reassign: () => this.#each<Move>(args[1], reply, 'reassigned', (one, said) => this.#move(epoch, one, said as Verdict)),
      restore: () => this.#each<Named>(args[1], reply, 'restored', (one, said) => this.#restore(one, said as Verdict)),
      second: () => this.#each<Named>(args[2], reply, 'second-attempts', (one, said) => this.#second(epoch, who, one, said as Verdict)),
      register: () => void (reply.kind === 'registered' && this.boots.set(who, (args[2] as { readonly bootNonce: string }).bootNonce)),
      forget: () => void (reply.kind === 'forgotten' && this.boots.delete(who)),
      finish: () => this.#onFinished(args[1] as number, reply),
    }[verb];
    take?.();
  }

  /** Each thing that was asked, with the word on it; nothing where the whole was refused. */
  #each<T>(asked: unknown, reply: Answer, kind: string, take: (one: T, said: string | Verdict | undefined) => void): void {
    if (reply.kind !== kind) return;
    for (const [at, one] of (asked as readonly T[]).entries()) take(one, reply.verdicts?.[at]);
  }

  #onCommitted(epoch: Epoch, { settles, handBacks, claims }: CommitRequest, reply: Committed | Gone): void {
    if (reply.kind !== 'committed') return;
    for (const [at, one] of settles.entries()) this.#settle(epoch, one, reply.settled[at] ?? '');
    for (const [at, one] of handBacks.entries()) this.#handBack(one, reply.handedBack[at] as HandBackVerdict);
    for (const [at, { worker }] of claims.entries()) this.#onClaimed(epoch, worker, reply.claimed[at] as Claimed | Gone);
  }

  #onClaimed(claimEpoch: Epoch, worker: WorkerId, reply: Claimed | Gone): void {
    if (reply.kind !== 'claimed') return;
    for (const { index, attempt } of grantedItems(reply)) this.#grant(index, { worker, attempt, claimEpoch });
    for (const found of reply.found) this.#checkFound(found);
  }

  #onLooked({ pid }: SimProcess, named: readonly Named[], { verdicts = [] }: Answer): void {
    for (const [at, { index, row }] of named.entries()) if (verdicts[at] === 'stale') this.toldStale.add(`${pid} ${index} ${keyOf(row)}`);
  }

  #onFinished(items: number, reply: Answer): void {
    const isRight = reply.kind !== 'finished' || this.items.recorded === items;
    this.#checking.hold('L16', isRight, 'the run was closed before every item was recorded');
  }

  #grant(index: ItemIndex, row: Row): void {
    const item = this.items.item(index);
    this.#checking.hold('L6', item.rows.length === 0 && item.record === null, `item ${index} was claimed while it ran or after its end`);
    this.#give(item, row);
    item.rows = [row];
    item.taken = null;
  }

  #give(item: SeenItem, row: Row): void {
    const { checking, index } = { checking: this.#checking, index: item.index };
    checking.hold('L9', row.attempt > item.lastAttempt, `attempt ${row.attempt} of item ${index} came after ${item.lastAttempt}`);
    const boot = this.boots.get(row.worker);
    const isKnown = row.worker === COORDINATOR_WORKER || boot !== undefined;
    checking.hold('L31', isKnown, `item ${index} was given to ${row.worker}, which is not registered`);
    this.givenTo.set(`${index}/${row.attempt}`, { boot: boot ?? '', atMs: checking.nowMs() });
    item.lastAttempt = row.attempt;
  }

  /** A claim whose reply was lost is found by the next one (L8). */
  #checkFound({ index, state, row }: { readonly index: ItemIndex; readonly state: string; readonly row?: Row }): void {
    const { record, rows, taken } = this.items.item(index);
    const there = rows[0] ?? taken;
    const isSo = record !== null ? state === 'done' || state === 'failed' : row !== undefined && there !== null && isSameRow(row, there);
    this.#checking.hold('L8', isSo || state === 'fresh', `a claim found item ${index} ${state}, and it is not so`);
    if (rows.length > 0) this.#checking.count('claim found a running row');
  }

  #settle(byEpoch: Epoch, { index, row, isResult }: Settlement, said: string): void {
    const item = this.items.item(index);
    if (said === 'accepted') {
      this.#checking.hold('L11', !item.refused.has(keyOf(row)), `attempt ${keyOf(row)} of item ${index} was accepted after it was refused`);
      this.#checking.hold('L21', item.record === null, `item ${index} was recorded twice`);
    }
    this.#expect('L10', index, row, said === 'accepted' ? 'live' : said);
    if (said !== 'accepted') return;
    if (item.rows.length === 0) this.#onLate(item, row.worker);
    if (row.claimEpoch < byEpoch) this.#checking.count('outcome of an older claim (L10)');
    item.record = { row, isResult, byEpoch };
    item.rows = [];
    item.taken = null;
    this.items.recorded += 1;
  }

  /** The item was handed back, and is recorded all the same: by the one who had it last, or as poison by the coordinator (L15). */
  #onLate(item: SeenItem, worker: WorkerId): void {
    const isPoison = worker === COORDINATOR_WORKER;
    this.#checking.count(isPoison ? 'poison' : 'outcome of a row that was taken (L15)');
    this.#checking.hold('C7', !isPoison || item.crashes >= POISON_CRASHES, `item ${item.index} is poison after ${item.crashes} crashes`);
  }

  #expect(rule: string, index: ItemIndex, row: Row, said: string): void {
    const right = this.items.verdictOn(index, row);
    this.#checking.hold(rule, said === right, `${keyOf(row)} of item ${index} was judged ${said}, and is ${right}`);
    if (said === 'stale') this.items.item(index).refused.add(keyOf(row));
  }

  #handBack({ index, row, restores, reason }: HandBack, said: HandBackVerdict): void {
    const { kind } = said;
    const item = this.items.item(index);
    const isThere = item.restores === restores && item.rows.some((one) => isSameRow(one, row));
    const isRepeated = item.restores === restores && item.rows.length === 0 && item.taken !== null && isSameRow(item.taken, row);
    const isRight = (kind === 'returned') === (item.record === null && (isThere || isRepeated));
    this.#checking.hold('L12', isRight, `${keyOf(row)} of item ${index} was ${kind}`);
    if (said.kind !== 'returned' || !isThere) return;
    item.rows = item.rows.filter((one) => !isSameRow(one, row));
    if (item.rows.length === 0) item.taken = row;
    item.takenMs = this.#checking.nowMs();
    if (reason === 'failed') item.failures += 1;
    if (reason === 'crashed') item.crashes += 1;
    item.takenFor.set(keyOf(row), reason);
    this.#checking.count(`handed back ${reason}`);
    this.#checkFaults(item, said.faults);
  }

  /** L14: what was counted against an item stays, whoever claims it meanwhile. */
  #checkFaults({ index, failures, crashes }: SeenItem, faults: Faults): void {
    const isRight = faults.failures === failures && faults.crashes === crashes;
    this.#checking.hold('L14', isRight, `item ${index} has failed ${failures} times and crashed ${crashes} times`);
  }

  #move(epoch: Epoch, { index, row, to }: Move, { kind, attempt }: Verdict): void {
    if (kind !== 'moved' || attempt === undefined) return;
    const item = this.items.item(index);
    const moved: Row = { worker: to, attempt, claimEpoch: epoch };
    if (item.rows.some((one) => isSameRow(one, moved))) return;
    const isThere = item.rows.some((one) => isSameRow(one, row));
    this.#checking.hold('L12', isThere, `${keyOf(row)} of item ${index} was moved and was not there`);
    this.#checking.onMoved(index, row);
    this.#give(item, moved);
    item.rows = item.rows.map((one) => (isSameRow(one, row) ? moved : one));
    item.takenFor.set(keyOf(row), 'stolen');
    this.#checking.count('steal');
  }

  /** L44: only the row that was taken last runs again, and only as long as nobody has claimed the item since. */
  #restore({ index, row }: Named, { kind }: Verdict): void {
    const item = this.items.item(index);
    if (kind !== 'restored' || item.rows.some((one) => isSameRow(one, row))) return;
    this.#checking.hold('L44', this.items.verdictOn(index, row) === 'live', `${keyOf(row)} of item ${index} was restored after its end`);
    this.#checking.hold('L31', this.boots.has(row.worker), `item ${index} was restored for ${row.worker}, which is not registered`);
    [item.rows, item.taken, item.restores] = [[row], null, item.restores + 1];
    item.takenFor.delete(keyOf(row));
    this.#checking.count('row restored (L44)');
  }

  #second(epoch: Epoch, worker: WorkerId, { index, row }: Named, { kind, attempt }: Verdict): void {
    if (kind !== 'granted' || attempt === undefined) return;
    const item = this.items.item(index);
    const second: Row = { worker, attempt, claimEpoch: epoch };
    if (item.rows.some((one) => isSameRow(one, second))) return;
    const isRight = item.rows.length === 1 && item.rows.some((one) => isSameRow(one, row)) && row.worker !== worker;
    this.#checking.hold('L13', isRight, `item ${index} got a second attempt beside ${item.rows.map(keyOf).join(' and ')}`);
    this.#give(item, second);
    item.rows = [...item.rows, second];
    this.#checking.count('second attempt');
  }

  #scanNowAndThen(): void {
    this.#writes += 1;
    if (this.#writes % SCAN_EVERY === 0) this.#checking.scan(this.lease.epoch);
  }
}

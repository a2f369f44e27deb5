import type { ExecutionContext, TestFn } from 'ava';
import fc from 'fast-check';
import type { CommitRequest, Committed, HandedBackItem, Ledger, RunningItem } from '../../runtime/ledger/contract.ts';
import { NO_FAULTS } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import type { AcquireReply, Lease } from '../../runtime/model/lease.ts';
import { type ItemIndex, isSameRow, type Row } from '../../runtime/model/row.ts';
import { claim, settle } from '../support/commit-parts.ts';
import { type Command, commands } from '../support/ledger-commands.ts';
import type { Shared } from '../support/ledger-draws.ts';
import { RECORDED_BEFORE, start } from '../support/ledger-start.ts';

/** A reply, or the error in its place. */
async function replyOf(command: Command, ledger: Ledger, shared: Shared): Promise<unknown> {
  try {
    return await command.run(ledger, shared);
  } catch (error) {
    return { threw: error instanceof Error ? error.name : String(error), message: error instanceof Error ? error.message : '' };
  }
}

/** The replies to commit and reopen come with what was asked. */
type Known = (Committed & { readonly request: CommitRequest }) | AcquireReply | Renewed | Reopened;

interface Renewed {
  readonly kind: 'renewed';
  readonly lease: Lease;
}

interface Reopened {
  readonly kind: 'reopening';
  readonly items: readonly ItemIndex[];
  readonly replies: unknown;
}

function isReply<K extends Known['kind']>(reply: unknown, kind: K): reply is Extract<Known, { readonly kind: K }> {
  return typeof reply === 'object' && reply !== null && 'kind' in reply && reply.kind === kind;
}

/** What must hold over the whole history, whatever the calls were (L9, L11, L13, L14). */
class History {
  readonly #items = new Map<number, RunningItem | HandedBackItem>();
  #accepted = 0;

  /** After each call: its reply, and all that is in flight by then. */
  see(t: ExecutionContext, reply: unknown, inFlight: readonly (RunningItem | HandedBackItem)[]): void {
    if (isReply(reply, 'reopening') && isDone(reply)) this.#reopen(reply.items);
    if (isReply(reply, 'committed')) this.#accepted += reply.settled.filter((verdict) => verdict === 'accepted').length;
    for (const item of inFlight) {
      this.#requireGrowth(t, item);
      this.#items.set(item.index, item);
    }
  }

  /** Its faults are over; its attempts are not (L45). */
  #reopen(indexes: readonly ItemIndex[]): void {
    this.#accepted -= new Set(indexes).size;
    for (const index of indexes) {
      const before = this.#items.get(index);
      if (before !== undefined) this.#items.set(index, { ...before, faults: NO_FAULTS });
    }
  }

  #requireGrowth(t: ExecutionContext, item: RunningItem | HandedBackItem): void {
    const before = this.#items.get(item.index);
    const last = before?.lastAttempt ?? 0;
    t.true(item.lastAttempt >= last, `L9: the last attempt of item ${item.index} never shrinks`);
    const known = before === undefined ? [] : rowsOf(before);
    for (const row of rowsOf(item).filter((one) => !known.some((other) => isSameRow(one, other)))) {
      t.true(row.attempt > last, `L9: attempt ${row.attempt} of item ${item.index} is above all before it, so no row comes back`);
    }
    for (const counter of ['failures', 'suspicions', 'crashes'] as const) {
      t.true(item.faults[counter] >= (before?.faults[counter] ?? 0), `L14: ${counter} of item ${item.index} are not forgotten`);
    }
  }

  async check(t: ExecutionContext, ledger: Ledger): Promise<void> {
    const { done, failed } = await ledger.progress();
    t.is(done + failed, RECORDED_BEFORE + this.#accepted, 'L11: as many recorded items as accepted outcomes');
  }
}

function rowsOf(item: RunningItem | HandedBackItem): readonly Row[] {
  return 'second' in item && item.second !== null ? [item.row, item.second] : [item.row];
}

function isDone({ replies }: Reopened): boolean {
  const [first] = Array.isArray(replies) ? replies : [replies];
  return (first as { readonly kind: string }).kind === 'reopened';
}

function followCommit(shared: Shared, { request, settled, claimed }: Extract<Known, { readonly kind: 'committed' }>): void {
  for (const [at, { index, row }] of request.settles.entries())
    if (settled[at] === 'accepted') shared.recorded.set(index, { epoch: shared.epoch, attempt: row.attempt });
  for (const one of claimed) if (one.kind === 'claimed') shared.cursor = one.cursor;
}

function follow(shared: Shared, reply: unknown): void {
  if (isReply(reply, 'reopening') && isDone(reply)) for (const index of reply.items) shared.recorded.delete(index);
  if (isReply(reply, 'committed')) followCommit(shared, reply);
  if (isReply(reply, 'renewed')) shared.lease = reply.lease;
  if (!isReply(reply, 'won')) return;
  shared.lease = reply.lease;
  shared.epoch = reply.lease.epoch;
  shared.holders += 1;
}

/** The scan also checks every item's rows (L6). */
async function inFlightOf(ledger: Ledger, epoch: number): Promise<readonly (RunningItem | HandedBackItem)[]> {
  const scan = await ledger.scan(epoch);
  return scan.kind === 'scanned' ? [...scan.running, ...scan.handedBack] : [];
}

function liveRows(items: readonly (RunningItem | HandedBackItem)[]): Shared['live'] {
  return items.flatMap((item) =>
    rowsOf(item).map((row) => ({ index: item.index, row, lastAttempt: item.lastAttempt, restores: item.faults.restores })),
  );
}

/** The first items are recorded before the calls begin, so that what these are about lies on both sides of a page's border. */
async function record(ledger: Ledger): Promise<void> {
  await claim(ledger, 0, 'w1', [{ cursor: 0, count: RECORDED_BEFORE }]);
  const outcomes = Array.from({ length: RECORDED_BEFORE }, (_, index) => ({ index, attempt: 1, claimEpoch: 0, isResult: true }));
  await settle(ledger, 0, 'w1', outcomes);
}

/** A call as it was made, to be made again (L38). */
interface MadeCall {
  readonly verb: string;
  readonly args: readonly unknown[];
}

/** What a late copy of a call changes is not what its caller once asked for, where it was refused then: such a one is not repeated. */
const NEVER_LATE: ReadonlySet<string> = new Set(['reopen', 'dispose', 'scan', 'bits', 'tallies', 'progress', 'readLease']);

function recording(ledger: Ledger, made: MadeCall[]): Ledger {
  return new Proxy(ledger, {
    get: (target, verb: keyof Ledger) => {
      const run = target[verb] as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]): unknown => {
        if (!NEVER_LATE.has(verb)) made.push({ verb, args });
        return run(...args);
      };
    },
  });
}

/** The same call as some time before, whatever has come since; a commit's reply comes with what was asked. */
function again({ verb, args }: MadeCall): Command {
  return {
    name: `late ${verb} ${JSON.stringify(args)}`,
    run: async (ledger) => {
      const run = (ledger as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Promise<object>>>)[verb];
      const reply = await run?.(...args);
      return verb === 'commit' ? { ...reply, request: args[1] } : reply;
    },
  };
}

/** Every third call or so is followed by a late copy of one before it. */
function withLateCopies(calls: readonly Command[], late: readonly number[], made: readonly MadeCall[]): Iterable<Command> {
  return (function* () {
    for (const [n, call] of calls.entries()) {
      yield call;
      const back = late[n % late.length] ?? 0;
      const copy = made[made.length - back];
      if (back > 0 && copy !== undefined) yield again(copy);
    }
  })();
}

/** A store with a clock says until when a lease is given: that is compared elsewhere. */
function withoutTime(reply: unknown): unknown {
  const { lease } = (reply ?? {}) as { readonly lease?: Lease };
  return lease === undefined ? reply : { ...(reply as object), lease: { ...lease, untilMs: 0 } };
}

async function compare(t: ExecutionContext, other: Ledger, calls: readonly Command[], late: readonly number[]): Promise<void> {
  const made: MadeCall[] = [];
  const memory = recording(createMemoryLedger(), made);
  const lease = await start(memory);
  await start(other);
  for (const ledger of [memory, other]) await record(ledger);
  made.length = 0;
  const shared: Shared = { epoch: 0, cursor: RECORDED_BEFORE, lease, holders: 0, serial: 1_000_000, live: [], recorded: new Map() };
  const history = new History();
  for (const call of withLateCopies(calls, late, made)) {
    const reply = withoutTime(await replyOf(call, memory, shared));
    t.deepEqual(withoutTime(await replyOf(call, other, shared)), reply, call.name);
    follow(shared, reply);
    shared.serial += 1;
    const inFlight = await inFlightOf(memory, shared.epoch);
    history.see(t, reply, inFlight);
    shared.live = liveRows(inFlight);
  }
  const [a, b] = await Promise.all([memory.scan(shared.epoch), other.scan(shared.epoch)]);
  t.deepEqual(b, a);
  t.is(a.kind, 'scanned');
  t.deepEqual(await other.tallies(), await memory.tallies());
  t.deepEqual([...(await other.bits(0, shared.cursor))], [...(await memory.bits(0, shared.cursor))]);
  await history.check(t, other);
}

/** Mostly none; else so many calls back. */
const LATE = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 25 })), { minLength: 7, maxLength: 7 });

/** A rulebook in memory and another ledger answer the same random calls alike, late copies among them. `open` gives an empty one. */
export function paritySuite(
  test: TestFn,
  name: string,
  runs: number,
  use: (compareWith: (other: Ledger) => Promise<void>) => Promise<void>,
): void {
  test(`memory and ${name} answer the same random calls alike, also late and repeated ones, and end with the same rows`, async (t) => {
    t.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(commands, LATE, (calls, late) => use((other) => compare(t, other, calls, late))),
      { numRuns: runs },
    );
  });
}

import fc from 'fast-check';
import type { CommitRequest, HandBackReason, Ledger, NamedRow, Pick } from '../../runtime/ledger/contract.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Attempt, Epoch, ItemIndex } from '../../runtime/model/row.ts';
import { minusOutcome, type Tally } from '../../runtime/model/tally.ts';
import { RECORDED_BEFORE, request, SOME_PLACE, SOME_WORKER } from './ledger-start.ts';

export interface ActiveClaim extends NamedRow {
  /** The item's, which may be another row's. */
  readonly lastAttempt: Attempt;
}

/** What the ledgers under comparison have in common. */
export interface Shared {
  epoch: number;
  cursor: number;
  /** The newest win, and an older state of it. */
  lease: Lease;
  holders: number;
  /** All rows in flight now, so that most calls can be meant for something. */
  live: readonly ActiveClaim[];
  /** Of each recorded item, under which epoch which attempt was accepted. */
  readonly recorded: Map<ItemIndex, { readonly epoch: Epoch; readonly attempt: Attempt }>;
}

/** One call, the same on every ledger; `run` must only use what is in `shared`. */
export interface Command {
  readonly name: string;
  run(ledger: Ledger, shared: Readonly<Shared>): Promise<unknown>;
}

const WORKERS = ['w1', 'w2', 'w3', 'coordinator'];
const REASONS: readonly HandBackReason[] = [
  'failed',
  'drained',
  'unavailable',
  'throttled',
  'lost',
  'quota',
  'recalled',
  'suspected',
  'crashed',
];

const worker = fc.constantFrom(...WORKERS);
const registered = fc.constantFrom('w1', 'w2', 'w3');
const index = fc.integer({ min: RECORDED_BEFORE - 1, max: RECORDED_BEFORE + 10 });
const attempt = fc.integer({ min: 1, max: 4 });
/** Mostly the present epoch, sometimes the one before it. */
const lag = fc.constantFrom(0, 0, 0, 0, 0, 0, 1);
const isAny = fc.constantFrom(false, false, true);
const claimLag = fc.constantFrom(0, 0, 0, 1, 2);

const pick = fc.oneof(
  fc.record({ kind: fc.constant('cursor' as const), shift: fc.constantFrom(0, 0, 0, -1, 1), count: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('index' as const), one: fc.integer({ min: 0, max: 30 }), isWrong: fc.constantFrom(false, false, true) }),
);

/** Mostly a row that is in flight, whole; sometimes any. */
const named = fc.record({
  one: fc.integer({ min: 0, max: 30 }),
  isAny: fc.constantFrom(false, false, false, true),
  index,
  worker,
  attempt,
  claimLag,
});
type Named = typeof named extends fc.Arbitrary<infer T> ? T : never;

function rowFor(shared: Shared, drawn: Named): NamedRow {
  const live = shared.live[drawn.one % Math.max(1, shared.live.length)];
  if (live !== undefined && !drawn.isAny) return { index: live.index, row: live.row };
  return { index: drawn.index, row: { worker: drawn.worker, attempt: drawn.attempt, claimEpoch: at(shared, drawn.claimLag) } };
}

function at(shared: Shared, epochsBack: number): number {
  return Math.max(0, shared.epoch - epochsBack);
}

function pickFor(shared: Shared, drawn: typeof pick extends fc.Arbitrary<infer T> ? T : never): Pick {
  if (drawn.kind === 'cursor') return { cursor: Math.max(0, shared.cursor + drawn.shift), count: drawn.count };
  const live = shared.live[drawn.one % Math.max(1, shared.live.length)];
  return { index: live?.index ?? RECORDED_BEFORE + drawn.one, lastAttempt: (live?.lastAttempt ?? 1) - (drawn.isWrong ? 1 : 0) };
}

function command<T>(
  name: string,
  given: fc.Arbitrary<T>,
  run: (ledger: Ledger, shared: Shared, drawn: T) => Promise<unknown>,
): fc.Arbitrary<Command> {
  return given.map((drawn) => ({ name: `${name} ${JSON.stringify(drawn)}`, run: (ledger, shared) => run(ledger, shared, drawn) }));
}

const settlement = fc.record({ row: named, isResult: fc.boolean(), isCoordinator: fc.constantFrom(false, false, false, true) });
const claim = fc.record({ worker, picks: fc.array(pick, { maxLength: 3 }) });
const handBack = fc.record({ row: named, reason: fc.constantFrom(...REASONS), delayMs: fc.nat(99) });

interface DrawnCommit {
  readonly settles: readonly (typeof settlement extends fc.Arbitrary<infer T> ? T : never)[];
  readonly handBacks: readonly (typeof handBack extends fc.Arbitrary<infer T> ? T : never)[];
  readonly claims: readonly (typeof claim extends fc.Arbitrary<infer T> ? T : never)[];
}

function requestFor(shared: Shared, { settles, handBacks, claims }: DrawnCommit): CommitRequest {
  return {
    settles: settles.map(({ row: drawn, isResult, isCoordinator }) => {
      const { index: item, row } = rowFor(shared, drawn);
      return { index: item, row: isCoordinator ? { ...row, worker: 'coordinator' } : row, isResult };
    }),
    handBacks: handBacks.map(({ row, reason, delayMs }) => ({ ...rowFor(shared, row), reason, delayMs })),
    claims: claims.map((one) => ({ worker: one.worker, picks: one.picks.map((drawn) => pickFor(shared, drawn)) })),
  };
}

/** Of each kind of work alone, and of all together. */
function commitOf(most: { readonly settles: number; readonly handBacks: number; readonly claims: number }): fc.Arbitrary<Command> {
  const drawn = fc.record({
    lag,
    settles: fc.array(settlement, { maxLength: most.settles }),
    handBacks: fc.array(handBack, { maxLength: most.handBacks }),
    claims: fc.array(claim, { maxLength: most.claims }),
  });
  return command('commit', drawn, async (ledger, shared, { lag: behind, ...parts }) => {
    const request = requestFor(shared, parts);
    return { ...(await ledger.commit(at(shared, behind), request)), request };
  });
}

/** Some are asked a second time at once, as after a lost reply. */
const isRepeated = fc.constantFrom(false, false, true);

async function asked(ask: () => Promise<unknown>, isAgain: boolean): Promise<unknown> {
  const reply = await ask();
  return isAgain ? [reply, await ask()] : reply;
}

const reassign = command(
  'reassign',
  fc.record({ lag, isRepeated, moves: fc.array(fc.record({ row: named, to: worker }), { minLength: 1, maxLength: 3 }) }),
  (ledger, shared, drawn) => {
    const moves = drawn.moves.map(({ row, to }) => ({ ...rowFor(shared, row), to }));
    return asked(() => ledger.reassign(at(shared, drawn.lag), moves), drawn.isRepeated);
  },
);

const second = command(
  'second',
  fc.record({ lag, isRepeated, worker, rows: fc.array(named, { minLength: 1, maxLength: 3 }) }),
  (ledger, shared, drawn) => {
    const rows = drawn.rows.map((one) => rowFor(shared, one));
    return asked(() => ledger.second(at(shared, drawn.lag), drawn.worker, rows), drawn.isRepeated);
  },
);

const restore = command(
  'restore',
  fc.record({ lag, isRepeated, rows: fc.array(named, { minLength: 1, maxLength: 3 }) }),
  (ledger, shared, drawn) => {
    const rows = drawn.rows.map((one) => rowFor(shared, one));
    return asked(() => ledger.restore(at(shared, drawn.lag), rows), drawn.isRepeated);
  },
);

const look = command('look', fc.array(named, { maxLength: 4 }), (ledger, shared, drawn) =>
  ledger.look(
    shared.epoch,
    drawn.map((row) => rowFor(shared, row)),
  ),
);

const lease = fc.oneof(
  command('renew', fc.boolean(), (ledger, shared, isOld) =>
    ledger.renew(isOld ? { ...shared.lease, epoch: shared.epoch - 1 } : shared.lease),
  ),
  command('release', fc.constant(null), (ledger, shared) => ledger.release(shared.lease)),
  command('acquire', fc.record({ isStale: fc.boolean(), floorAbove: fc.constantFrom(-1, 0, 1) }), async (ledger, shared, drawn) => {
    const seen = await ledger.readLease();
    const expected = drawn.isStale ? shared.lease : seen;
    return ledger.acquire(request(`holder-${shared.holders}`, expected, shared.epoch + drawn.floorAbove));
  }),
);

const run = fc.oneof(
  command('register', fc.record({ worker: registered, lag }), (ledger, shared, drawn) =>
    ledger.register(at(shared, drawn.lag), drawn.worker, SOME_WORKER),
  ),
  command('forget', registered, (ledger, shared, drawn) => ledger.forget(shared.epoch, drawn)),
  command('pause', fc.constantFrom('x'), (ledger, shared) => ledger.pause(shared.epoch, 'because')),
  command('resume', fc.constant(null), (ledger, shared) => ledger.resume(shared.epoch)),
  command('finish', fc.integer({ min: RECORDED_BEFORE, max: RECORDED_BEFORE + 12 }), (ledger, shared, items) =>
    ledger.finish(shared.epoch, items),
  ),
  command('bind', fc.boolean(), (ledger, shared, isOther) =>
    ledger.bind(shared.epoch, isOther ? { ...SOME_PLACE, placeId: 'other' } : SOME_PLACE),
  ),
);

/** What the log would tell of each recorded item. */
const reopen = command(
  'reopen',
  fc.record({ lag, isRepeated, from: index, count: fc.constantFrom(0, 1, 3), isOwn: fc.boolean(), isAny }),
  async (ledger, shared, { lag: behind, isRepeated: isAgain, from, count, isOwn, isAny: isWrong }) => {
    const chosen = [...shared.recorded].filter(([one]) => one >= from).slice(0, count);
    const gone = chosen.map(([one, { epoch, attempt: of }]) => ({ index: one, epoch, attempt: of }));
    const tallies = (await ledger.tallies()).map(({ epoch, ...tally }) => ({
      epoch,
      ...gone.filter((one) => one.epoch === epoch).reduce<Tally>(minusOutcome, tally),
    }));
    const items = [...chosen.map(([one]) => one), ...(isWrong && count > 0 ? [from] : [])];
    const reopening = { pending: isOwn ? [] : items, own: isOwn ? items : [], tallies };
    return {
      kind: 'reopening',
      items: gone.map((one) => one.index),
      replies: await asked(() => ledger.reopen(at(shared, behind), reopening), isAgain),
    };
  },
);

const read = fc.oneof(
  command('scan', lag, (ledger, shared, drawn) => ledger.scan(at(shared, drawn))),
  command('bits', index, async (ledger, _shared, from) => [...(await ledger.bits(from, 9))]),
  command('tallies', fc.constant(null), (ledger) => ledger.tallies()),
);

/** Random calls, most of them likely to do something. */
export const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: commitOf({ settles: 0, handBacks: 0, claims: 1 }) },
    { weight: 10, arbitrary: commitOf({ settles: 4, handBacks: 0, claims: 0 }) },
    { weight: 8, arbitrary: commitOf({ settles: 0, handBacks: 3, claims: 0 }) },
    { weight: 10, arbitrary: commitOf({ settles: 4, handBacks: 3, claims: 2 }) },
    { weight: 8, arbitrary: reassign },
    { weight: 10, arbitrary: second },
    { weight: 8, arbitrary: restore },
    { weight: 3, arbitrary: look },
    { weight: 2, arbitrary: lease },
    { weight: 3, arbitrary: reopen },
    { weight: 5, arbitrary: run },
    { weight: 2, arbitrary: read },
  ),
  { minLength: 15, maxLength: 80, size: 'max' },
);

import fc from 'fast-check';
import type { CommitRequest, Ledger } from '../../runtime/ledger/contract.ts';
import { minusOutcome, type Tally } from '../../runtime/model/tally.ts';
import {
  at,
  index,
  isAny,
  lag,
  late,
  named,
  pick,
  pickFor,
  REASONS,
  registered,
  rowFor,
  type Shared,
  soleFor,
  stampFor,
  worker,
} from './ledger-draws.ts';
import { RECORDED_BEFORE, request, SOME_PLACE, SOME_TTL_MS, SOME_WORKER } from './ledger-start.ts';

/** One call, the same on every ledger; `run` must only use what is in `shared`. */
export interface Command {
  readonly name: string;
  run(ledger: Ledger, shared: Readonly<Shared>): Promise<unknown>;
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
    const rows = drawn.rows.map((one) => soleFor(shared, one));
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
  command('renew', fc.constantFrom('now', 'now', 'late', 'old'), (ledger, shared, when) => {
    const { lease: held } = shared;
    const named = when === 'old' ? { ...held, epoch: shared.epoch - 1 } : { ...held, renewals: held.renewals - (when === 'late' ? 1 : 0) };
    return ledger.renew(named, SOME_TTL_MS);
  }),
  command('release', fc.constant(null), (ledger, shared) => ledger.release(shared.lease)),
  command('acquire', fc.record({ isStale: fc.boolean(), floorAbove: fc.constantFrom(-1, 0, 1) }), async (ledger, shared, drawn) => {
    const { lease: seen } = await ledger.readLease();
    const expected = drawn.isStale ? shared.lease : seen;
    return ledger.acquire(request(`holder-${shared.holders}`, expected, shared.epoch + drawn.floorAbove));
  }),
);

const run = fc.oneof(
  command('register', fc.record({ worker: registered, lag, late }), (ledger, shared, drawn) =>
    ledger.register(stampFor(shared, drawn.lag, drawn.late), drawn.worker, SOME_WORKER),
  ),
  command('forget', fc.record({ worker: registered, late }), (ledger, shared, drawn) =>
    ledger.forget(stampFor(shared, 0, drawn.late), drawn.worker),
  ),
  command('pause', late, (ledger, shared, drawn) => ledger.pause(stampFor(shared, 0, drawn), 'because')),
  command('resume', late, (ledger, shared, drawn) => ledger.resume(stampFor(shared, 0, drawn))),
  command('finish', fc.integer({ min: RECORDED_BEFORE, max: RECORDED_BEFORE + 12 }), (ledger, shared, items) =>
    ledger.finish(stampFor(shared, 0, 0), items),
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
      replies: await asked(() => ledger.reopen(stampFor(shared, behind, 0), reopening), isAgain),
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

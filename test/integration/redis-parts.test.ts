import test, { type ExecutionContext } from 'ava';
import type { CommitRequest, Committed, Fenced, Gone, Ledger, Settlement } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import { back, by, claimed, grantedItems, move, row, scanned, sole, start, taken } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { scriptTimes } from '../support/script-times.ts';

const server = await redisServerOf(test, ['--appendfsync', 'no']);
const redis = server.client();

/** So many rows of each kind, each in a word of its own. */
const ROWS = 700;
const APART = 33;

async function opened(t: ExecutionContext): Promise<readonly [Ledger, Ledger]> {
  const ledger = await server.open(server.newRun());
  t.teardown(() => ledger.dispose());
  const memory = createMemoryLedger();
  for (const one of [ledger, memory]) {
    await start(one);
    await claimed(one, 0, 'w1', [{ cursor: 0, count: ROWS * APART }]);
  }
  return [ledger, memory];
}

const rows = <T>(make: (index: number) => T, shift = 0): T[] => Array.from({ length: ROWS }, (_, n) => make(n * APART + shift));
const settlement = (index: number, attempt = 1, worker = 'w1'): Settlement => ({
  index,
  row: row(worker, attempt),
  isResult: index % 2 === 0,
});

const NONE: CommitRequest = { settles: [], handBacks: [], claims: [] };
const TAKEN_BACK = rows((index) => back(index, row('w1'), 'failed', 7), 1);

/** Each is asked of both, in this order. */
const CALLS: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
  'items far apart are recorded': (ledger) => ledger.commit(0, { ...NONE, settles: rows(settlement) }),
  'they are recorded once more': (ledger) => ledger.commit(0, { ...NONE, settles: rows(settlement) }),
  'recorded, handed back and claimed in one': (ledger) =>
    ledger.commit(0, {
      settles: rows((index) => settlement(index), 2),
      handBacks: TAKEN_BACK,
      claims: [
        { worker: 'w2', picks: TAKEN_BACK.slice(0, 300).map(({ index }) => ({ index, lastAttempt: 1 })) },
        { worker: 'w1', picks: [{ cursor: ROWS * APART, count: 3_000 }] },
        { worker: 'w2', picks: [{ cursor: ROWS * APART + 3_000, count: 10 }] },
      ],
    }),
  'the same once more': (ledger) =>
    ledger.commit(0, { ...NONE, claims: [{ worker: 'w1', picks: [{ cursor: ROWS * APART, count: 3_000 }] }] }),
  look: (ledger) =>
    ledger.look(
      0,
      rows((index) => ({ index, row: row('w1') }), 1),
    ),
  restore: (ledger) =>
    ledger.restore(
      0,
      rows((index) => taken(index, row('w1')), 1),
    ),
  'second attempts': (ledger) =>
    ledger.second(
      0,
      'w2',
      rows((index) => sole(index, row('w1')), 3),
    ),
  moves: (ledger) =>
    ledger.reassign(
      0,
      rows((index) => move(index, row('w1'), 'w2'), 4),
    ),
  'moves once more, and some that were recorded': (ledger) =>
    ledger.reassign(0, [...rows((index) => move(index, row('w1'), 'w2'), 4), ...rows((index) => move(index, row('w1'), 'w2'), 2)]),
  'rows with a history are recorded': (ledger) => ledger.commit(0, { ...NONE, settles: rows((index) => settlement(index, 2, 'w2'), 3) }),
};

/** A large pick may be granted in several ranges. */
function comparable(reply: unknown): unknown {
  const { claimed: all } = reply as Partial<Committed> & Partial<Gone | Fenced>;
  if (all === undefined) return reply;
  return { ...(reply as object), claimed: all.map((one) => (one.kind === 'claimed' ? { ...one, granted: grantedItems(one) } : one)) };
}

test('what is above the bound of one script is cut, is answered as by the memory ledger, and no script holds the server up', async (t) => {
  const [ledger, memory] = await opened(t);
  const { scripts, worstMs } = await scriptTimes(redis, async () => {
    for (const [what, ask] of Object.entries(CALLS)) t.deepEqual(comparable(await ask(ledger)), comparable(await ask(memory)), what);
  });
  t.log(`${scripts} scripts, the longest took ${worstMs} ms`);
  t.true(scripts >= 35 && worstMs < 100, `${scripts} scripts, ${worstMs} ms`);
  t.deepEqual(await scanned(ledger, 0), await scanned(memory, 0));
  t.deepEqual(await ledger.tallies(), await memory.tallies());
});

test('L16: a commit that is cut is gone as a whole while the run is paused, and its settlements are recorded', async (t) => {
  const [ledger] = await opened(t);
  await ledger.pause(by(0), 'no quota');
  const reply = await ledger.commit(0, {
    ...NONE,
    settles: rows(settlement),
    claims: [{ worker: 'w1', picks: [{ cursor: ROWS * APART, count: 3_000 }] }],
  });
  t.like(reply, { kind: 'committed', claimed: [{ kind: 'gone', state: { kind: 'paused', reason: 'no quota' } }] });
  t.true(reply.kind === 'committed' && reply.settled.length === ROWS && reply.claimed.length === 1);
});

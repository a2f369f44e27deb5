import test, { type ExecutionContext } from 'ava';
import { systemClock as clock } from '../../runtime/base/clock.ts';
import { systemRandom as random } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import { keyOf } from '../../runtime/ledger/redis/keys.ts';
import { minusOutcome, type Reopening, tallyOf } from '../../runtime/model/tally.ts';
import { settle } from '../support/commit-parts.ts';
import { by, claimed, outcome, row, SOME_WORKER, scanned, start, win } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { type ReplyCutter, replyCutter } from '../support/reply-cutter.ts';
import { scriptTimes } from '../support/script-times.ts';

const server = await redisServerOf(test, ['--appendfsync', 'no']);
const redis = server.client();

/** Three parts, the second of which has items of both kinds. */
const ITEMS = 1_300;
const OWN_FROM = 800;

async function recorded(ledger: Ledger, items = ITEMS): Promise<void> {
  await start(ledger);
  for (let from = 0; from < items; from += 5_000) {
    const count = Math.min(5_000, items - from);
    await claimed(ledger, 0, 'w1', [{ cursor: from, count }]);
    const outcomes = Array.from({ length: count }, (_, n) => outcome(from + n, 1, 0, n % 3 === 0));
    await settle(ledger, 0, 'w1', outcomes);
  }
}

async function asked(ledger: Ledger, items = ITEMS): Promise<Reopening> {
  const named = Array.from({ length: items - 100 }, (_, n) => n);
  const tally = named.reduce((left, index) => minusOutcome(left, { index, attempt: 1 }), tallyOf(await ledger.tallies(), 0));
  return {
    pending: named.filter((index) => index < OWN_FROM || index >= ITEMS),
    own: named.filter((index) => index >= OWN_FROM && index < ITEMS),
    tallies: [{ epoch: 0, ...tally }],
  };
}

async function rows(ledger: Ledger, epoch: number): Promise<unknown> {
  return [await scanned(ledger, epoch), await ledger.tallies(), [...(await ledger.bits(0, ITEMS))]];
}

async function inMemory(): Promise<Ledger> {
  const memory = createMemoryLedger();
  await recorded(memory);
  return memory;
}

interface Cut {
  readonly cutter: ReplyCutter;
  readonly runId: string;
  readonly ledger: Ledger;
}

/** A run of three parts, over connections that are cut after so many replies from now. */
async function cutAfter(t: ExecutionContext, replies: number): Promise<Cut> {
  const cutter = await replyCutter(t, server.port);
  const runId = server.newRun();
  const ledger = await server.open(runId, { port: cutter.port });
  t.teardown(() => ledger.dispose());
  await recorded(ledger);
  cutter.cutNextReply(replies);
  return { cutter, runId, ledger };
}

test('L45: a reopening that is cut after any of its parts goes on when it is asked again', async (t) => {
  const memory = await inMemory();
  const reopening = await asked(memory);
  await memory.reopen(by(0), reopening);
  const expected = await rows(memory, 0);
  let cuts = 0;
  for (let replies = 0; cuts === replies; replies += 1) {
    const { cutter, runId, ledger } = await cutAfter(t, replies);
    const stamp = by(0);
    const reply = await untilAnswered({ clock, random }, () => ledger.reopen(stamp, reopening));
    cuts += cutter.cuts();
    t.deepEqual(reply, { kind: 'reopened' });
    const direct = await server.open(runId);
    t.teardown(() => direct.dispose());
    t.deepEqual(await rows(direct, 0), expected, `cut after ${replies} replies`);
    t.deepEqual(await direct.reopen(stamp, reopening), { kind: 'reopened' }, 'asked once more, it changes nothing');
    t.deepEqual(await rows(direct, 0), expected);
    t.is(await redis.exists(keyOf(runId, 'reopening')), 0);
  }
  t.true(cuts >= 6, `cut at ${cuts} places`);
});

test('L45: a reopening whose coordinator ends in the middle is carried out by the next one, or has not been', async (t) => {
  const reopening = await asked(await inMemory());
  const untouched = await inMemory();
  const reopened = await inMemory();
  await reopened.reopen(by(0), reopening);
  for (const memory of [untouched, reopened]) await win(memory, 'second');
  const [none, all] = [await rows(untouched, 1), await rows(reopened, 1)];
  const later = by(1);
  await untouched.reopen(later, reopening);
  const byTheNext = await rows(untouched, 1);
  const ends: string[] = [];
  for (let replies = 0; ; replies += 1) {
    const { cutter, runId, ledger } = await cutAfter(t, replies);
    const reply = await ledger.reopen(by(0), reopening).catch((error: unknown) => error);
    if (cutter.cuts() === 0) break;
    t.true(reply instanceof CallFailed);
    const next = await server.open(runId);
    t.teardown(() => next.dispose());
    await win(next, 'second');
    // Not a scan first: whatever the next coordinator begins with.
    await next.register(by(1), 'w1', SOME_WORKER);
    const found = await rows(next, 1);
    const isAll = (await next.progress()).cursor !== (await next.progress()).done + (await next.progress()).failed;
    ends.push(isAll ? 'all' : 'none');
    t.deepEqual(found, isAll ? all : none, `ended after ${replies} replies`);
    const late = await untilAnswered({ clock, random }, () => ledger.reopen(by(0), reopening));
    t.deepEqual(late, { kind: 'fenced', epoch: 1 }, 'asked late');
    if (isAll) continue;
    t.deepEqual(await next.reopen(later, reopening), { kind: 'reopened' });
    t.deepEqual(await rows(next, 1), byTheNext);
  }
  t.deepEqual([...new Set(ends)], ['none', 'all'], ends.join());
});

test('L7, L45: a reopening of which a later part names an item that is not recorded is refused whole', async (t) => {
  const runId = server.newRun();
  const ledger = await server.open(runId);
  t.teardown(() => ledger.dispose());
  await recorded(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: ITEMS, count: 1 }]);
  const before = await rows(ledger, 0);
  const { pending, own, tallies } = await asked(ledger);
  const reply = await ledger.reopen(by(0), { pending, own: [...own, ITEMS, ITEMS + 1], tallies });
  t.like(reply, {
    kind: 'refused',
    found: [
      { index: ITEMS, state: 'running', row: row('w1') },
      { index: ITEMS + 1, state: 'fresh' },
    ],
  });
  t.deepEqual(await rows(ledger, 0), before);
  t.is(await redis.exists(keyOf(runId, 'reopening')), 0, 'nothing is kept aside');
  t.deepEqual(await ledger.reopen(by(0), { pending, own, tallies }), { kind: 'reopened' });
});

test('L45: while a large reopening goes on, the server serves others', async (t) => {
  const items = 50_000;
  const ledger = await server.open(server.newRun());
  t.teardown(() => ledger.dispose());
  await recorded(ledger, items);
  const reopening = await asked(ledger, items);
  const { scripts, worstMs } = await scriptTimes(redis, async () => {
    t.deepEqual(await ledger.reopen(by(0), reopening), { kind: 'reopened' });
  });
  t.log(`${scripts} scripts, the longest took ${worstMs} ms`);
  t.true(scripts >= (2 * items) / 512 - 2 && worstMs < 250, `${scripts} scripts, ${worstMs} ms`);
  const { done, failed, handedBack, running } = await ledger.progress();
  t.deepEqual([done + failed, handedBack, running], [100, items - 100 - (ITEMS - OWN_FROM), ITEMS - OWN_FROM]);
});

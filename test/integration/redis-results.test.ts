import test, { type ExecutionContext } from 'ava';
import type { Redis } from 'ioredis';
import { assert } from '../../runtime/base/assert.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import { keyOf } from '../../runtime/ledger/redis/keys.ts';
import { SegmentReader } from '../../runtime/results/log/segment-reader.ts';
import { throughCalls } from '../../runtime/results/place/calls.ts';
import type { ResultsPlace, SegmentWriter } from '../../runtime/results/place/contract.ts';
import { settle } from '../support/commit-parts.ts';
import { createdLog, openedPlace } from '../support/created-log.ts';
import { type Holder, InlineRun, type InlineRunOptions } from '../support/inline-run.ts';
import { by, claimed, outcome, SOME_WORKER } from '../support/ledger-start.ts';
import { logFrame } from '../support/log-frame.ts';
import { contentsOf, writerOf } from '../support/place-start.ts';
import { type RedisServer, redisServer, redisServerOf } from '../support/redis-server.ts';
import { replyCutter } from '../support/reply-cutter.ts';
import { scriptTimes } from '../support/script-times.ts';

const MIB = 2 ** 20;
const server = await redisServerOf(test);
const redis = server.client();

function newRun(t: ExecutionContext, options: InlineRunOptions = {}): InlineRun {
  const run = new InlineRun(server, server.newRun(), options);
  t.teardown(() => run.close());
  return run;
}

interface OwnServer {
  readonly own: RedisServer;
  readonly admin: Redis;
}

/** For a test that changes or measures the whole server. */
async function ownServer(t: ExecutionContext): Promise<OwnServer> {
  const own = await redisServer(t);
  return { own, admin: own.client() };
}

/** As a coordinator has it: each call is asked until it is answered. */
function patient(place: ResultsPlace): ResultsPlace {
  return throughCalls(place, (_, call) => untilAnswered({ clock: systemClock, random: systemRandom }, call));
}

async function begun(run: InlineRun): Promise<Holder & { readonly writer: SegmentWriter }> {
  const holder = await run.hold(0);
  await openedPlace(holder.place, 0, run.runId);
  return { ...holder, writer: await writerOf(holder.place, 0, 'head.') };
}

test('L5: a deposed coordinator opens, creates and appends nothing any more, and is told the epoch that has won', async (t) => {
  const run = newRun(t);
  const { place, writer } = await begun(run);
  await writer.append(Buffer.from('own'));
  const successor = await run.hold(2);
  const fenced = { kind: 'fenced', epoch: 2 } as const;
  t.deepEqual(await writer.append(Buffer.from('late')), fenced);
  t.deepEqual(await place.open(0, run.runId), fenced);
  t.deepEqual(await place.create(0, Buffer.from('late')), fenced);
  t.deepEqual([await successor.place.epochs(), await contentsOf(successor.place, 0)], [[0], 'head.own']);
});

test('L7, L38: an append that comes late or twice changes nothing, and is answered as before', async (t) => {
  const run = newRun(t);
  const { place, session } = await begun(run);
  const append = async (at: number, text: string): Promise<unknown> => {
    const reply = await session.under(0, 'append-segment', [at, text]);
    return 'kind' in reply ? reply : reply[0];
  };
  t.deepEqual([await append(5, 'one'), await append(5, 'one')], ['appended', 'appended']);
  t.is(await contentsOf(place, 0), 'head.one');
  t.deepEqual([await append(8, 'two'), await append(5, 'one'), await append(5, 'on')], ['appended', 'appended', 'appended']);
  t.deepEqual([await append(5, 'two'), await append(12, 'far'), await append(8, 'twos')], ['elsewhere', 'elsewhere', 'elsewhere']);
  t.is(await contentsOf(place, 0), 'head.onetwo');
});

test('L17, L38: a segment that is created again by the same process after a lost reply is the same one', async (t) => {
  const run = newRun(t);
  const { place } = await run.hold(0);
  await openedPlace(place, 0, run.runId);
  for (let n = 0; n < 2; n += 1) t.like(await place.create(0, Buffer.from('head')), { kind: 'created' });
  t.is(await contentsOf(place, 0), 'head');
  const other = await run.hold(0);
  await t.throwsAsync(other.place.create(0, Buffer.from('head')), { code: 'RESULT_LOG_FAILED', message: /exists already/ });
});

test('L20: wherever the connection is cut, all of an append is there once it is answered, and once', async (t) => {
  t.timeout(120_000);
  const proxy = await replyCutter(t, server.port);
  const run = newRun(t, { port: proxy.port });
  const { place } = await run.hold(0);
  const direct = patient(place);
  await openedPlace(direct, 0, run.runId);
  const reply = await direct.create(0, Buffer.from('head.'));
  if (reply.kind !== 'created') return t.fail();
  let expected = Buffer.from('head.');
  for (const [size, after] of [
    [10, 0],
    [3 * MIB, 0],
    [3 * MIB, 1],
    [3 * MIB, 2],
    [MIB, 1],
    [7, 0],
  ] as const) {
    const bytes = Buffer.alloc(size, `${size} after ${after} `);
    proxy.cutNextReply(after);
    t.deepEqual(await reply.writer.append(bytes), { kind: 'appended' });
    expected = Buffer.concat([expected, bytes]);
  }
  t.true(proxy.cuts() >= 5, `${proxy.cuts()} cuts`);
  t.is(await contentsOf(direct, 0), expected.toString());
});

test('bytes that were lost on the server end the coordinator, and a reader finds where', async (t) => {
  const run = newRun(t);
  const { place, writer } = await begun(run);
  await writer.append(Buffer.alloc(8 * MIB, 'x'));
  await redis.del(`${keyOf(run.runId, 'segments')}:0:1`);
  const segment = await place.read(0);
  t.deepEqual([await segment.read(Buffer.alloc(8 * MIB), 0), await segment.size()], [4 * MIB, 8 * MIB + 5]);
  await redis.del(`${keyOf(run.runId, 'segments')}:0:2`);
  await t.throwsAsync(writer.append(Buffer.from('more')), { code: 'RESULT_LOG_FAILED', message: /has lost bytes/ });
});

test('all segments together hold what the limit allows, to the byte; what does not fit changes nothing', async (t) => {
  const run = newRun(t, { limitBytes: 20 });
  const { writer, place } = await begun(run);
  t.deepEqual(await writer.append(Buffer.from('12345')), { kind: 'appended' });
  const successor = await run.hold(1);
  const next = await writerOf(successor.place, 1, 'head');
  const full = await next.append(Buffer.from('1234567'));
  t.like(full, { kind: 'full' });
  t.regex(
    (full as { readonly reason: string }).reason,
    /take at least 21 bytes with those that came last, and --inline-limit allows 20\..*recorded is kept/,
  );
  t.is(await contentsOf(place, 1), 'head');
  t.deepEqual(await next.append(Buffer.from('123456')), { kind: 'appended' });
  t.like(await next.append(Buffer.from('1')), { kind: 'full' });
  t.deepEqual([await contentsOf(place, 0), await contentsOf(place, 1)], ['head.12345', 'head123456']);
  t.deepEqual(next.room?.(), { usedBytes: 20, limitBytes: 20 }, 'what earlier coordinators wrote is counted too');
});

test('a server without memory refuses an append whole, and takes it once it has some again', async (t) => {
  const { own: small, admin } = await ownServer(t);
  const run = new InlineRun(small, 'run');
  t.teardown(() => run.close());
  const { writer, place } = await begun(run);
  await admin.config('SET', 'maxmemory', '1');
  const error = await t.throwsAsync(writer.append(Buffer.alloc(1_000, 'x')), { instanceOf: CallFailed, message: /OOM/ });
  t.is(error?.fate, 'not-executed');
  t.is(await contentsOf(place, 0), 'head.');
  await admin.config('SET', 'maxmemory', '0');
  t.deepEqual(await writer.append(Buffer.alloc(1_000, 'x')), { kind: 'appended' });
  t.is((await contentsOf(place, 0)).length, 1_005);
});

test('a script touches a mebibyte at most, however large an append is', async (t) => {
  const { own, admin } = await ownServer(t);
  const run = new InlineRun(own, 'run');
  t.teardown(() => run.close());
  const { writer, place } = await begun(run);
  const bytes = Buffer.alloc(8 * MIB, 'x');
  const { scripts, worstMs } = await scriptTimes(admin, () => writer.append(bytes));
  t.log(`the longest of ${scripts} scripts took ${worstMs} ms`);
  t.true(scripts >= 8, 'a part is a mebibyte at most');
  const read = await scriptTimes(admin, () => contentsOf(place, 0));
  t.log(`the longest of ${read.scripts} scripts of reading took ${read.worstMs} ms`);
  t.true(read.scripts >= 8);
});

test('what a finished run keeps here expires with its ledger, and is kept again where the run goes on', async (t) => {
  const run = newRun(t, { expireAfterMs: 3_600_000 });
  const { ledger, place, writer } = await begun(run);
  await writer.append(Buffer.alloc(8 * MIB, 'x'));
  await ledger.bind(0, await openedPlace(place, 0, run.runId));
  await ledger.register(by(0), 'w1', SOME_WORKER);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
  await settle(ledger, 0, 'w1', [outcome(0)]);
  const times = async (): Promise<readonly number[]> => {
    const keys = await redis.keys(`${keyOf(run.runId, 'segments')}*`);
    return Promise.all(keys.map((key) => redis.pttl(key)));
  };
  t.deepEqual(await times(), [-1, -1, -1, -1]);
  t.deepEqual(await ledger.finish(by(0), 1), { kind: 'finished' });
  t.true(
    (await times()).every((time) => time > 0),
    String(await times()),
  );
  await ledger.reopen(by(0), { pending: [], own: [], tallies: [] });
  t.deepEqual(await times(), [-1, -1, -1, -1]);
});

test('a coordinator that begins after the end leaves no key that outlives the others', async (t) => {
  const run = newRun(t, { expireAfterMs: 3_600_000 });
  const { ledger } = await begun(run);
  t.deepEqual(await ledger.finish(by(0), 0), { kind: 'finished' });
  const next = await run.hold(1);
  await openedPlace(next.place, 1, run.runId);
  await writerOf(next.place, 1, 'head.');
  const keys = await redis.keys(`rollout:{${run.runId}}:*`);
  t.true(keys.includes(`${keyOf(run.runId, 'segments')}:1:0`));
  const head = await redis.pttl(keyOf(run.runId, 'head'));
  for (const key of keys) {
    const left = await redis.pttl(key);
    t.true(left > 0 && left <= head + 1_000, `${key}: ${left} ms`);
  }
  await next.ledger.reopen(by(1), { pending: [], own: [], tallies: [] });
  for (const key of keys) t.is(await redis.pttl(key), -1, key);
});

const KILLS = 20;
const APPENDS = 1_500;

test('L16, L18: redis-server killed again and again under load loses no outcome that it acknowledged (appendfsync always)', async (t) => {
  t.timeout(300_000);
  const { own: killed } = await ownServer(t);
  const run = new InlineRun(killed, 'run');
  t.teardown(() => run.close());
  const place = patient((await run.hold(0)).place);
  const { placeId } = await openedPlace(place, 0, 'run');
  const log = await createdLog(place, 0, { placeId });
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  for (let n = 0; n < APPENDS; n += 1) {
    if (n > ((kills + 1) * APPENDS) / (KILLS + 1)) {
      kills += 1;
      await restarting;
      restarting = killed.kill().then(() => killed.start());
    }
    t.deepEqual(await log.append([logFrame(n % 300)]), { kind: 'appended' });
  }
  await restarting;
  t.is(kills, KILLS);
  const reader = await SegmentReader.open(place, 0, placeId);
  let read = 0;
  for (let block = await reader.next(); block !== null; block = await reader.next())
    for (const frame of block.frames) {
      const expected = logFrame(read % 300);
      assert(frame.index === expected.index && Buffer.compare(frame.line, expected.line) === 0, `frame ${read} is another one`);
      read += 1;
    }
  t.deepEqual([read, (await reader.end()).problem], [APPENDS, null]);
});

import test from 'ava';
import { type Clock, systemClock } from '../../../../runtime/base/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import type { PollReply } from '../../../../runtime/model/session.ts';
import type { Answered, WorkerClient } from '../../../../runtime/rpc/client.ts';
import type { SessionListener, SessionStream } from '../../../../runtime/rpc/session-client.ts';
import { createLink, type Link } from '../../../../runtime/worker/session/link.ts';

type Answer = Answered<string>;
const UNREACHABLE: Answer = { kind: 'unreachable', detail: 'd' };

interface Dials {
  readonly link: Link;
  /** The listeners of the streams that were opened, and how many were closed from this side. */
  readonly streams: SessionListener[];
  readonly hungUp: number[];
  readonly dialled: string[];
  readonly closed: string[];
  readonly waitsMs: number[];
}

function linkTo(addresses: readonly string[], sleep?: Clock['sleep'], monotonicMs: Clock['monotonicMs'] = () => 0): Dials {
  const [dialled, closed, waitsMs]: [string[], string[], number[]] = [[], [], []];
  const [streams, hungUp]: [SessionListener[], number[]] = [[], []];
  const dial = (address: string): WorkerClient => {
    dialled.push(address);
    const refuse = (): never => {
      throw new Error('not asked in this test');
    };
    const session = (listener: SessionListener): SessionStream => {
      const nth = streams.push(listener);
      return { say: () => undefined, close: () => hungUp.push(nth) };
    };
    return { beat: refuse, poll: refuse, session, deregister: refuse, identify: refuse, close: () => closed.push(address) };
  };
  const clock = {
    ...systemClock,
    monotonicMs,
    sleep:
      sleep ??
      (async (ms: number) => {
        waitsMs.push(ms);
      }),
  };
  return {
    link: createLink({
      dial,
      isHostUnknown: async (address) => address.startsWith('gone'),
      addresses,
      clock,
      random: seededRandom(1),
      log: silentLog,
    }),
    dialled,
    closed,
    waitsMs,
    streams,
    hungUp,
  };
}

test('one connection serves until a move, then the next address is dialled', async (t) => {
  const { link, dialled, closed } = linkTo(['a:1', 'b:2']);
  t.deepEqual(await link.call(async () => ({ kind: 'reply', reply: 'one' })), { kind: 'reply', reply: 'one' });
  await link.call(async () => ({ kind: 'reply', reply: 'two' }));
  t.deepEqual(dialled, ['a:1']);
  t.deepEqual(await link.call(async () => UNREACHABLE), { kind: 'failed', isPassive: false });
  await link.move();
  await link.call(async () => UNREACHABLE);
  t.deepEqual([dialled, closed], [['a:1', 'b:2'], ['a:1']]);
});

test('the primary that a passive coordinator names is dialled next', async (t) => {
  const { link, dialled } = linkTo(['a:1', 'b:2']);
  t.deepEqual(await link.call(async () => ({ kind: 'not-leader', primaryAddress: 'c:3' })), { kind: 'failed', isPassive: true });
  await link.move();
  await link.call(async () => UNREACHABLE);
  t.deepEqual(dialled, ['a:1', 'c:3']);
});

test('a call that a move has overtaken is aborted, and is no failure of the new coordinator', async (t) => {
  const { link } = linkTo(['a:1']);
  let isAborted = false;
  const call = link.call((_, signal) => {
    const ended = new Promise<Answer>((resolve) => signal.addEventListener('abort', () => resolve(UNREACHABLE)));
    return ended.finally(() => {
      isAborted = true;
    });
  });
  await link.move();
  t.deepEqual(await call, { kind: 'left' });
  t.true(isAborted);
});

test('the waits grow from 100 ms to 1 s, by chance from nothing on, and begin again after an answer', async (t) => {
  const { link, waitsMs } = linkTo(['a:1']);
  for (let n = 0; n < 40; n++) await link.move();
  for (const [n, ms] of waitsMs.entries()) t.true(ms >= 0 && ms < Math.min(1_000, 100 * 2 ** n), `wait ${n}: ${ms}`);
  t.true(Math.max(...waitsMs) > 500);
  await link.call(async () => ({ kind: 'reply', reply: 'one' }));
  await link.move();
  t.true((waitsMs.at(-1) ?? 0) < 100);
});

test('an address that hung for long is left for another one without a further wait, and not for itself', async (t) => {
  let nowMs = 0;
  const moved = async (addresses: readonly string[]): Promise<readonly number[]> => {
    const { link, waitsMs } = linkTo(addresses, undefined, () => nowMs);
    for (let n = 0; n < 20; n++) {
      nowMs += 2_000;
      await link.move();
    }
    return waitsMs;
  };
  t.deepEqual(await moved(['a:1', 'b:2']), []);
  t.is((await moved(['a:1'])).length, 20);
});

test('where no address is known nothing is dialled, and a move lasts until one is told', async (t) => {
  const { link, dialled } = linkTo([], systemClock.sleep);
  t.deepEqual(await link.call(async () => ({ kind: 'reply', reply: 'never' })), { kind: 'failed', isPassive: false });
  let hasMoved = false;
  const move = link.move().then(() => {
    hasMoved = true;
  });
  await systemClock.sleep(300);
  t.deepEqual([hasMoved, dialled], [false, []]);
  link.replaceAddresses(['z:9']);
  await move;
  t.is(link.address(), 'z:9');
  t.deepEqual(await link.call(async () => ({ kind: 'reply', reply: 'one' })), { kind: 'reply', reply: 'one' });
  t.deepEqual(dialled, ['z:9']);
});

test('a link that is closed waits for addresses no more', async (t) => {
  const { link, dialled } = linkTo([], systemClock.sleep);
  const move = link.move();
  link.close();
  await move;
  t.deepEqual(dialled, []);
});

test('new addresses replace the old ones', async (t) => {
  const { link, dialled } = linkTo(['a:1']);
  await link.call(async () => UNREACHABLE);
  link.replaceAddresses(['z:9']);
  await link.move();
  await link.call(async () => UNREACHABLE);
  t.deepEqual(dialled, ['a:1', 'z:9']);
});

const HEARD: PollReply = { status: 'hello-needed', epoch: 0 };

test('a stream goes to the present coordinator; its end is told, and a move closes it for good', async (t) => {
  const { link, dialled, streams, hungUp } = linkTo(['a:1', 'b:2']);
  const heard: unknown[] = [];
  const opened = link.openSession(
    (reply) => heard.push(reply),
    () => heard.push('end'),
  );
  t.not(opened, null);
  streams[0]?.onReply(HEARD);
  streams[0]?.onEnd({ kind: 'unreachable', detail: 'broken' });
  t.deepEqual(heard, [HEARD, 'end']);
  await link.move();
  t.deepEqual(hungUp, [1]);
  link.openSession(
    () => undefined,
    () => undefined,
  );
  t.deepEqual(dialled, ['a:1', 'b:2']);
});

test('a stream on which nothing came is a failure like any other: the wait grows, and the primary that was named is dialled', async (t) => {
  const { link, dialled, waitsMs, streams } = linkTo(['a:1']);
  const ignore = (): void => undefined;
  for (let tries = 0; tries < 12; tries += 1) {
    link.openSession(ignore, ignore);
    streams.at(-1)?.onEnd({ kind: 'unreachable', detail: 'refused' });
    await link.move();
  }
  t.true(Math.max(...waitsMs) > 100, 'beyond the first ceiling');
  t.true(Math.max(...waitsMs) <= 1_000);
  link.openSession(ignore, ignore);
  streams.at(-1)?.onReply(HEARD);
  streams.at(-1)?.onEnd({ kind: 'not-leader', primaryAddress: 'c:3' });
  await link.move();
  t.true((waitsMs.at(-1) ?? 1_000) <= 100, 'an answer begins it again');
  link.openSession(ignore, ignore);
  t.is(dialled.at(-1), 'c:3');
});

test('without an address there is no stream', (t) => {
  const { link } = linkTo([]);
  t.is(
    link.openSession(
      () => undefined,
      () => undefined,
    ),
    null,
  );
});

test('with one address a connection without any answer is made again only after three failures in a row', async (t) => {
  const { link, dialled, closed } = linkTo(['a:1']);
  const fail = async (): Promise<void> => {
    await link.call(async () => UNREACHABLE);
    await link.move();
  };
  for (const _ of [1, 2]) await fail();
  t.deepEqual([dialled, closed], [['a:1'], []]);
  await fail();
  t.deepEqual([dialled, closed], [['a:1'], ['a:1']]);
});

test('a connection that has answered, and does not any more, is left at once; an answer begins the count again', async (t) => {
  const { link, dialled, closed } = linkTo(['a:1']);
  const fail = async (): Promise<void> => {
    await link.call(async () => UNREACHABLE);
    await link.move();
  };
  for (const _ of [1, 2]) await fail();
  await link.call(async () => ({ kind: 'reply', reply: 'late' }));
  await fail();
  t.deepEqual([dialled, closed], [['a:1'], ['a:1']]);
  for (const _ of [1, 2]) await fail();
  t.deepEqual([dialled, closed], [['a:1', 'a:1'], ['a:1']], 'the new one is given its time');
});

test('addresses told again take effect with the next call', async (t) => {
  const { link, dialled, closed } = linkTo(['a:1']);
  await link.call(async () => ({ kind: 'reply', reply: 'one' }));
  link.replaceAddresses(['b:2']);
  await link.call(async () => ({ kind: 'reply', reply: 'two' }));
  t.deepEqual([dialled, closed], [['a:1', 'b:2'], ['a:1']]);
});

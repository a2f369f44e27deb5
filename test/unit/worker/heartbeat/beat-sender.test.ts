import test from 'ava';
import type { Beat, BeatReply } from '../../../../runtime/model/session.ts';
import type { Answered, WorkerClient } from '../../../../runtime/rpc/client.ts';
import { BeatSender } from '../../../../runtime/worker/heartbeat/beat-sender.ts';
import type { Called, Link } from '../../../../runtime/worker/session/link.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const INTERVAL_MS = 100;

/** A sender whose beats are answered when the test says so. */
function beating(highestEpoch = 3) {
  const clock = new ManualClock();
  const sent: { readonly beat: Beat; readonly answer: (reply: BeatReply | 'unasked' | null) => Promise<void> }[] = [];
  const deadlines: number[] = [];
  const answered: unknown[] = [];
  const outdated: unknown[] = [];
  let moves = 0;
  const client = {
    beat: (beat: Beat, deadlineMs: number) =>
      new Promise<Answered<BeatReply | null>>((resolve) => {
        deadlines.push(deadlineMs);
        const answer = async (reply: BeatReply | 'unasked' | null): Promise<void> => {
          resolve(reply === null ? { kind: 'unreachable', detail: '' } : { kind: 'reply', reply: reply === 'unasked' ? null : reply });
          await clock.advance(0);
        };
        sent.push({ beat, answer });
      }),
  } as unknown as WorkerClient;
  const link = {
    call: async (make: (client: WorkerClient) => Promise<Answered<BeatReply>>): Promise<Called<BeatReply>> => {
      const answer = await make(client);
      return answer.kind === 'reply' ? answer : { kind: 'failed', isPassive: false };
    },
    move: async () => {
      moves += 1;
      await clock.sleep(30);
    },
  } as unknown as Link;
  const beatSender = new BeatSender({
    settings: { workerId: 'w', bootNonce: 'n', concurrency: 2, pid: 7, node: '', heartbeatIntervalMs: INTERVAL_MS, highestEpoch },
    link,
    clock,
    loopLagMs: () => 5,
    onAnswered: (beat) => answered.push(beat),
    onOutdated: (...epochs) => outdated.push(epochs),
    onFailure: (cause) => {
      throw cause;
    },
  });
  return { beatSender, clock, sent, deadlines, answered, outdated, moves: () => moves };
}

test('C12: a beat waits for its answer for four of the intervals that were told, but for half of the self-fence timeout at most', async (t) => {
  const { clock, sent, deadlines } = beating();
  for (const [heartbeatIntervalMs, deadlineMs] of [
    [500, 2_000],
    [1_000, 2_000],
    [200, 800],
  ] as const) {
    const timing = { heartbeatIntervalMs, workerSelfFenceTimeoutMs: 4_000, pollWaitMs: 20_000 };
    await sent.at(-1)?.answer({ epoch: 3, isSuperseded: false, timing });
    await clock.advance(heartbeatIntervalMs);
    t.is(deadlines.at(-1), deadlineMs);
  }
  t.is(deadlines[0], 4 * INTERVAL_MS, 'its own interval, before a coordinator has told one');
});

test('W3: the first beat is sent at once, then one in each interval, whether answered or not, and one with each news', async (t) => {
  const { beatSender, clock, sent } = beating();
  t.deepEqual(
    sent.map(({ beat }) => [beat.state, beat.highestEpoch, beat.loopLagMs]),
    [['init', 3, 5]],
  );
  await clock.advance(2 * INTERVAL_MS);
  t.is(sent.length, 3);
  beatSender.say('draining', 'told to');
  t.like(sent[3]?.beat, { state: 'draining', detail: 'told to' });
});

test('C12: the interval of the coordinator holds from its first answer on, also where a successor has another one', async (t) => {
  const { clock, sent } = beating();
  const timing = { heartbeatIntervalMs: INTERVAL_MS * 3, workerSelfFenceTimeoutMs: 9_000, pollWaitMs: 1_000 };
  await sent[0]?.answer({ epoch: 3, isSuperseded: false, timing });
  await clock.advance(2 * INTERVAL_MS);
  t.is(sent.length, 1);
  await clock.advance(INTERVAL_MS);
  t.is(sent.length, 2);
  await sent[1]?.answer({ epoch: 4, isSuperseded: false, timing: { ...timing, heartbeatIntervalMs: INTERVAL_MS } });
  await clock.advance(3 * INTERVAL_MS);
  t.is(sent.length, 5);
});

test('C12: the times of a deposed coordinator do not hold', async (t) => {
  const { clock, sent } = beating();
  const timing = { heartbeatIntervalMs: INTERVAL_MS * 30, workerSelfFenceTimeoutMs: 9_000, pollWaitMs: 1_000 };
  await sent[0]?.answer({ epoch: 2, isSuperseded: false, timing });
  await clock.advance(3 * INTERVAL_MS);
  t.true(sent.length >= 3);
});

test('an answer is handed on with the moment of its arrival, and its epoch is told from then on', async (t) => {
  const { clock, sent, answered } = beating();
  await clock.advance(40);
  await sent[0]?.answer({ epoch: 4, isSuperseded: false });
  t.deepEqual(answered, [{ epoch: 4, isSuperseded: false, receivedMs: clock.monotonicMs() }]);
  await clock.advance(INTERVAL_MS);
  t.is(sent.at(-1)?.beat.highestEpoch, 4);
});

for (const [what, reply] of [
  ['no answer', null],
  ['the answer of a deposed coordinator', { epoch: 2, isSuperseded: true }],
] as const) {
  test(`W1: after ${what} another coordinator is looked for, and nothing is beaten meanwhile`, async (t) => {
    const { clock, sent, answered, moves } = beating();
    await clock.advance(90);
    await sent[0]?.answer(reply);
    t.deepEqual([answered.length, moves(), sent.length], [0, 1, 1]);
    await clock.advance(29);
    t.is(sent.length, 1, 'the interval has passed meanwhile');
    await clock.advance(1);
    t.is(sent.length, 2);
  });
}

test('an epoch that the main loop has seen makes an older answer one of a deposed coordinator', async (t) => {
  const { beatSender, sent, answered, outdated, moves } = beating();
  beatSender.tellEpoch(9);
  beatSender.tellEpoch(8);
  await sent[0]?.answer({ epoch: 8, isSuperseded: false });
  t.deepEqual([answered.length, moves()], [0, 1]);
  t.deepEqual(outdated, [[8, 9]], 'L41: which is told');
});

test('L37: an epoch that the beats have not heard of is asked for at once, since their coordinator may be dead', async (t) => {
  const { beatSender, clock, sent } = beating();
  await sent[0]?.answer({
    epoch: 3,
    isSuperseded: false,
    timing: { heartbeatIntervalMs: INTERVAL_MS, workerSelfFenceTimeoutMs: 40 * INTERVAL_MS, pollWaitMs: 1 },
  });
  await clock.advance(INTERVAL_MS);
  t.false(sent.at(-1)?.beat.isAsking, 'not every beat asks');
  beatSender.tellEpoch(3);
  t.is(sent.length, 2, 'this one is known');
  beatSender.tellEpoch(4);
  t.like(sent[2]?.beat, { isAsking: true, highestEpoch: 4 });
});

test('L36: it has stopped once its last beat has ended, and says nothing more', async (t) => {
  const { beatSender, clock, sent } = beating();
  await clock.advance(INTERVAL_MS);
  let hasStopped = false;
  const stopped = beatSender.stop().then(() => {
    hasStopped = true;
  });
  beatSender.say('ready', '');
  await clock.advance(5 * INTERVAL_MS);
  await sent[0]?.answer({ epoch: 3, isSuperseded: false });
  t.deepEqual([sent.length, hasStopped], [2, false], 'one beat is still under way');
  await sent[1]?.answer(null);
  await stopped;
  await clock.advance(5 * INTERVAL_MS);
  t.is(sent.length, 2);
});

const TIMING = { heartbeatIntervalMs: INTERVAL_MS, workerSelfFenceTimeoutMs: 8 * INTERVAL_MS, pollWaitMs: 1_000 };

test('W3: once a coordinator has told its times every third beat asks for an answer, and each again after it has failed', async (t) => {
  const { clock, sent } = beating();
  await clock.advance(INTERVAL_MS);
  await sent[0]?.answer({ epoch: 3, isSuperseded: false, timing: TIMING });
  await clock.advance(5 * INTERVAL_MS);
  const asking = (): readonly boolean[] => sent.map(({ beat }) => beat.isAsking);
  t.deepEqual(asking(), [true, true, false, false, true, false, false]);
  await sent[4]?.answer(null);
  await clock.advance(3 * INTERVAL_MS);
  t.true(asking().length > 9 && asking().slice(7).every(Boolean));
});

test('W2: where the self-fence timeout is short an answer comes at least twice within it', async (t) => {
  const { clock, sent } = beating();
  await sent[0]?.answer({ epoch: 3, isSuperseded: false, timing: { ...TIMING, workerSelfFenceTimeoutMs: 3 * INTERVAL_MS } });
  await clock.advance(3 * INTERVAL_MS);
  t.deepEqual(
    sent.map(({ beat }) => beat.isAsking),
    [true, true, true, true],
  );
});

test('L36: where the last beats asked for nothing it stops with one that asks, whose answer comes after all of them have', async (t) => {
  const { beatSender, clock, sent } = beating();
  await sent[0]?.answer({ epoch: 3, isSuperseded: false, timing: TIMING });
  await clock.advance(INTERVAL_MS);
  t.false(sent[1]?.beat.isAsking);
  await sent[1]?.answer('unasked');
  let hasStopped = false;
  const stopped = beatSender.stop().then(() => {
    hasStopped = true;
  });
  await clock.advance(0);
  t.deepEqual([sent.length, sent[2]?.beat.isAsking, hasStopped], [3, true, false]);
  await sent[2]?.answer({ epoch: 3, isSuperseded: false });
  await stopped;
  t.true(hasStopped);
});

import test from 'ava';
import { RolloutError } from '../../runtime/base/errors.ts';
import type { Poll, PollReply } from '../../runtime/model/session.ts';
import type { WorkerClient } from '../../runtime/rpc/client.ts';
import type { SessionWriter } from '../../runtime/rpc/core.ts';
import { MAX_MESSAGE_BYTES } from '../../runtime/rpc/options.ts';
import type { SessionStream } from '../../runtime/rpc/session-client.ts';
import type { Unanswered } from '../../runtime/rpc/status.ts';
import { MAX_OUTCOME_BYTES } from '../../runtime/worker/ending.ts';
import { inWorld, notingCore, OUTCOME, pollOf, REPLY, withPlainLines } from '../support/rpc-world.ts';
import { until } from '../support/until.ts';

/** Sessions over real streams and mTLS. */

const WAIT_MS = 10_000;

interface Opened {
  readonly stream: SessionStream;
  readonly replies: PollReply[];
  readonly ends: Unanswered[];
  readonly written: () => number;
  say(poll: Poll): void;
}

function open(client: WorkerClient): Opened {
  const [replies, ends]: [PollReply[], Unanswered[]] = [[], []];
  let written = 0;
  const stream = client.session({ onReply: (reply) => replies.push(reply), onEnd: (why) => ends.push(why) });
  const say = (poll: Poll): void =>
    stream.say(poll, () => {
      written += 1;
    });
  return { stream, replies, ends, written: () => written, say };
}

async function endOf(opened: Opened): Promise<Unanswered> {
  return until('the session ends', WAIT_MS, () => opened.ends[0]);
}

test('messages go both ways over one stream, in order, and each side learns that its own has left', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    const sent = [1, 2, 3].map((poll) => pollOf('w-1', { poll, hello: poll === 1 ? [] : null }));
    for (const poll of sent) opened.say(poll);
    await until('three replies', WAIT_MS, () => opened.replies.length === 3);
    t.deepEqual(withPlainLines(calls), sent);
    t.deepEqual(withPlainLines(opened.replies[0]), REPLY);
    t.is(opened.written(), 3);
    opened.stream.close();
    await until('the core hears that it is over', WAIT_MS, () => calls.at(-1) === 'gone');
    t.deepEqual(opened.ends, [], 'who closes a stream hears nothing more of it');
  });
});

test('a stream speaks for one worker and one boot: another worker is denied, another boot refused, and nothing of it reaches the core', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker, asWorker }) => {
    const denied = open(await asWorker({ role: 'worker', workerId: 'w-2' }));
    denied.say(pollOf('w-1'));
    t.like(await endOf(denied), { kind: 'refused' });
    t.regex(JSON.stringify(denied.ends), /PERMISSION_DENIED.*may not speak as worker w-1/);
    t.deepEqual(calls, []);
    for (const [other, said] of [
      [{ workerId: 'w-9' }, /PERMISSION_DENIED.*speaks for worker w-1 alone/],
      [{ bootNonce: 'other' }, /INVALID_ARGUMENT.*boot_nonce/],
    ] as const) {
      const opened = open(await worker('w-1'));
      calls.length = 0;
      opened.say(pollOf('w-1'));
      opened.say(pollOf('w-1', { poll: 2, ...other }));
      t.like(await endOf(opened), { kind: 'refused' });
      t.regex(JSON.stringify(opened.ends), said);
      t.deepEqual(
        calls.map((call) => (typeof call === 'string' ? call : 'message')),
        ['message', 'gone'],
      );
    }
  });
});

test('a message that breaks a rule ends the stream with the name of its field', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    opened.say(pollOf('w-1', { session: 0 }));
    t.like(await endOf(opened), { kind: 'refused' });
    t.regex(JSON.stringify(opened.ends), /INVALID_ARGUMENT.*session/);
    t.deepEqual(calls, []);
  });
});

test('a passive coordinator answers a stream as it answers a poll: notLeader, with the address of the primary', async (t) => {
  await inWorld(t, null, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    opened.say(pollOf('w-1'));
    t.deepEqual(await endOf(opened), { kind: 'not-leader', primaryAddress: '10.0.0.9:50051' });
  });
});

test('L5: a fenced coordinator says nothing more on a stream but that it is', async (t) => {
  let writer: SessionWriter | null = null;
  const { core } = notingCore({
    session: (_worker, into) => {
      writer = into;
      return { onMessage: () => undefined, gone: () => undefined };
    },
  });
  await inWorld(t, core, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    opened.say(pollOf('w-1'));
    const into = await until('the session is open', WAIT_MS, () => writer ?? undefined);
    into.fail(new RolloutError('FENCED', 'epoch 4'));
    into.send(REPLY, () => t.fail('nothing is said after the end'));
    t.like(await endOf(opened), { kind: 'unreachable' });
    t.regex(JSON.stringify(opened.ends), /fenced/);
    t.deepEqual(opened.replies, []);
  });
});

test('a server that stops ends its streams cleanly: what was said before arrives', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker, server }) => {
    const opened = open(await worker('w-1'));
    opened.say(pollOf('w-1'));
    await until('a reply', WAIT_MS, () => opened.replies.length === 1);
    const startedMs = performance.now();
    await server.stop(WAIT_MS);
    t.true(performance.now() - startedMs < WAIT_MS, 'the stream did not hold it up');
    t.deepEqual(await endOf(opened), { kind: 'unreachable', detail: 'the coordinator has ended the session' });
    t.is(calls.at(-1), 'gone');
  });
});

test('an outcome of exactly the largest size passes; so does one byte less', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    for (const [n, bytes] of [MAX_OUTCOME_BYTES - 1, MAX_OUTCOME_BYTES].entries()) {
      opened.say(pollOf('w-1', { poll: n + 1, outcomes: [{ ...OUTCOME, line: new Uint8Array(bytes).fill(0x61) }] }));
    }
    await until('both are answered', WAIT_MS, () => opened.replies.length === 2);
    t.deepEqual(
      calls.map((poll) => (poll as Poll).outcomes[0]?.line.byteLength),
      [MAX_OUTCOME_BYTES - 1, MAX_OUTCOME_BYTES],
    );
    opened.stream.close();
  });
});

test('a message above the limit is refused for good, with the limit in the text', async (t) => {
  const { core, calls } = notingCore();
  await inWorld(t, core, async ({ worker }) => {
    const opened = open(await worker('w-1'));
    opened.say(pollOf('w-1', { outcomes: [{ ...OUTCOME, line: new Uint8Array(MAX_MESSAGE_BYTES + 1).fill(0x61) }] }));
    t.like(await endOf(opened), { kind: 'refused' });
    t.regex(JSON.stringify(opened.ends), new RegExp(`RESOURCE_EXHAUSTED.*${MAX_MESSAGE_BYTES}`));
    t.deepEqual(calls, []);
  });
});

test('a peer that does not read holds up what is said to it, and the core is told so', async (t) => {
  const line = new Uint8Array(1024 ** 2).fill(0x61);
  const large = { ...REPLY, assignments: [{ index: 7, attempt: 2, claimEpoch: 3, line, lineNumber: 8, form: 'raw' as const }] };
  const asked = 32;
  let left = 0;
  const { core } = notingCore({
    session: (_worker, writer) => ({
      onMessage: () => {
        for (let n = 0; n < asked; n += 1) writer.send(large, () => (left += 1));
      },
      gone: () => undefined,
    }),
  });
  await inWorld(t, core, async ({ worker }) => {
    const client = await worker('w-1');
    const stream = client.session({
      // The loop of a worker that is busy for long reads nothing.
      onReply: () => {
        const untilMs = performance.now() + 100;
        while (performance.now() < untilMs);
      },
      onEnd: () => undefined,
    });
    stream.say(pollOf('w-1'), () => undefined);
    await until('something has left', WAIT_MS, () => left > 0);
    t.true(left < asked, `${left} of ${asked} had left at once`);
    stream.close();
  });
});

import test from 'ava';
import { MAX_UNWRITTEN_ANSWERS, Replies } from '../../../../runtime/coordinator/perform/replies.ts';
import type { BeatReply, PollReply } from '../../../../runtime/model/session.ts';
import type { StreamWriter } from '../../../../runtime/rpc/core.ts';

const REPLY: PollReply = { status: 'hello-needed', epoch: 1 };

function writer<Reply = PollReply>(): { readonly heard: unknown[]; readonly writer: StreamWriter<Reply> } {
  const heard: unknown[] = [];
  return {
    heard,
    writer: {
      send: (reply, onWritten) => {
        heard.push(reply);
        onWritten();
      },
      end: () => heard.push('end'),
      fail: (cause) => heard.push(cause.message),
    },
  };
}

test('what is said to a stream goes there, as often as it is said, and each time it is told that it has left', (t) => {
  const replies = new Replies();
  const { heard, writer: into } = writer();
  const written: number[] = [];
  const token = replies.openStream(into, (of) => written.push(of));
  replies.poll(token, REPLY);
  replies.poll(token, REPLY);
  replies.end(token);
  replies.poll(token, REPLY);
  t.deepEqual(heard, [REPLY, REPLY, 'end']);
  t.deepEqual(written, [token, token]);
});

const ALIVE: BeatReply = { epoch: 1, isSuperseded: false };

test('every beat of a stream is answered there, and none after its caller is gone', (t) => {
  const replies = new Replies();
  const { heard, writer: into } = writer<BeatReply>();
  const token = replies.openBeats(into);
  replies.beat(token, ALIVE);
  replies.beat(token, ALIVE);
  replies.drop(token, new Error('gone'));
  replies.beat(token, ALIVE);
  t.deepEqual(heard, [ALIVE, ALIVE]);
});

test('a worker that beats and does not read the answers costs so many of them, and then its stream ends', (t) => {
  const replies = new Replies();
  const heard: unknown[] = [];
  const leave: (() => void)[] = [];
  const token = replies.openBeats({
    send: (reply, onWritten) => {
      heard.push(reply);
      leave.push(onWritten);
    },
    end: () => heard.push('end'),
    fail: () => t.fail(),
  });
  for (let n = 0; n < MAX_UNWRITTEN_ANSWERS; n++) replies.beat(token, ALIVE);
  leave[0]?.();
  replies.beat(token, ALIVE);
  t.is(heard.at(-1), ALIVE, 'one has left');
  replies.beat(token, ALIVE);
  replies.beat(token, ALIVE);
  t.is(heard.length, MAX_UNWRITTEN_ANSWERS + 2);
  t.is(heard.at(-1), 'end');
});

test('a call is answered once, and one whose caller is gone never', async (t) => {
  const replies = new Replies();
  const tokens: number[] = [];
  const first = replies.open<PollReply>((token) => tokens.push(token));
  const second = replies.open<PollReply>((token) => tokens.push(token));
  replies.drop(tokens[1] ?? 0, new Error('gone'));
  await t.throwsAsync(second, { message: 'gone' });
  for (const token of tokens) replies.poll(token, REPLY);
  t.deepEqual(await first, REPLY);
});

test('L5: closed, nobody is told anything more: calls fail, streams end with the cause, and new ones at once', async (t) => {
  const replies = new Replies();
  const { heard, writer: into } = writer();
  const token = replies.openStream(into, () => undefined);
  const beating = writer<BeatReply>();
  const beats = replies.openBeats(beating.writer);
  const call = replies.open<PollReply>(() => undefined);
  replies.close(new Error('fenced'));
  await t.throwsAsync(call, { message: 'fenced' });
  replies.poll(token, REPLY);
  replies.beat(beats, ALIVE);
  t.deepEqual([heard, beating.heard], [['fenced'], ['fenced']]);
  const late = writer();
  replies.openStream(late.writer, () => undefined);
  replies.openBeats(writer<BeatReply>().writer);
  t.deepEqual(late.heard, ['fenced']);
  await t.throwsAsync(
    replies.open<PollReply>(() => undefined),
    { message: 'fenced' },
  );
});

import test from 'ava';
import { Replies } from '../../../runtime/coordinator/replies.ts';
import type { PollReply } from '../../../runtime/model/session.ts';
import type { SessionMouth } from '../../../runtime/rpc/core.ts';

const REPLY: PollReply = { status: 'hello-needed', epoch: 1 };

function mouth(): { readonly heard: unknown[]; readonly mouth: SessionMouth } {
  const heard: unknown[] = [];
  return {
    heard,
    mouth: {
      say: (reply, onWritten) => {
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
  const { heard, mouth: into } = mouth();
  const written: number[] = [];
  const token = replies.openStream(into, (of) => written.push(of));
  replies.poll(token, REPLY);
  replies.poll(token, REPLY);
  replies.end(token);
  replies.poll(token, REPLY);
  t.deepEqual(heard, [REPLY, REPLY, 'end']);
  t.deepEqual(written, [token, token]);
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
  const { heard, mouth: into } = mouth();
  const token = replies.openStream(into, () => undefined);
  const call = replies.open<PollReply>(() => undefined);
  replies.close(new Error('fenced'));
  await t.throwsAsync(call, { message: 'fenced' });
  replies.poll(token, REPLY);
  t.deepEqual(heard, ['fenced']);
  const late = mouth();
  replies.openStream(late.mouth, () => undefined);
  t.deepEqual(late.heard, ['fenced']);
  await t.throwsAsync(
    replies.open<PollReply>(() => undefined),
    { message: 'fenced' },
  );
});

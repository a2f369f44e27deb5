import test from 'ava';
import type { PollReply } from '../../../runtime/model/session.ts';
import type { SessionStream } from '../../../runtime/rpc/session-client.ts';
import type { Called, Link } from '../../../runtime/worker/session/link.ts';
import { createSpeaking, type Hearing } from '../../../runtime/worker/speaking.ts';
import { greeting, ok, polls } from '../../support/worker-state.ts';

const [HELLO] = polls(greeting({ transport: 'stream' }).commands);
if (HELLO === undefined) throw new Error('a worker begins with a hello');
const NEXT = { ...HELLO, poll: 2, hello: null };

/** Notes what is heard. */
function hearing(): { readonly heard: unknown[]; readonly hearing: Hearing } {
  const heard: unknown[] = [];
  const note =
    (kind: string) =>
    (of: unknown): void =>
      void heard.push([kind, of]);
  return {
    heard,
    hearing: { onReply: note('reply'), onPollFailed: note('failed'), onWritten: note('written'), onSessionEnded: note('ended') },
  };
}

class FakeLink implements Pick<Link, 'openSession' | 'call'> {
  readonly said: unknown[] = [];
  closed = 0;
  onReply: (reply: PollReply) => void = () => undefined;
  onEnd: () => void = () => undefined;
  isKnown = true;
  called: Called<unknown> = { kind: 'failed', isPassive: false };

  openSession(onReply: (reply: PollReply) => void, onEnd: () => void): SessionStream | null {
    if (!this.isKnown) return null;
    [this.onReply, this.onEnd] = [onReply, onEnd];
    return {
      say: (poll, onWritten) => {
        this.said.push([poll.session, poll.poll]);
        onWritten();
      },
      close: () => {
        this.closed += 1;
      },
    };
  }

  async call<T>(): Promise<Called<T>> {
    return this.called as Called<T>;
  }
}

test('L26: each session has a stream of its own, and the one before it is closed', async (t) => {
  const link = new FakeLink();
  const { heard, hearing: ears } = hearing();
  const speaking = createSpeaking('stream', link as unknown as Link, ears);
  await speaking.say(HELLO);
  await speaking.say(NEXT);
  link.onReply(ok());
  await speaking.say({ ...HELLO, session: 2 });
  t.deepEqual(link.said, [
    [1, 1],
    [1, 2],
    [2, 1],
  ]);
  t.is(link.closed, 1);
  link.onEnd();
  t.deepEqual(heard, [
    ['written', HELLO],
    ['written', NEXT],
    ['reply', { session: 1, poll: 0 }],
    ['written', { ...HELLO, session: 2 }],
    ['ended', 2],
  ]);
});

test('where no coordinator is known the session is over', async (t) => {
  const link = new FakeLink();
  link.isKnown = false;
  const { heard, hearing: ears } = hearing();
  await createSpeaking('stream', link as unknown as Link, ears).say(HELLO);
  t.deepEqual(heard, [['ended', 1]]);
});

test('a poll is answered or has failed, and is waited for', async (t) => {
  const link = new FakeLink();
  const { heard, hearing: ears } = hearing();
  const speaking = createSpeaking('poll', link as unknown as Link, ears);
  const first = speaking.say(HELLO);
  await speaking.answered();
  await first;
  link.called = { kind: 'reply', reply: ok() };
  await speaking.say(NEXT);
  t.deepEqual(heard, [
    ['failed', HELLO],
    ['reply', NEXT],
  ]);
});

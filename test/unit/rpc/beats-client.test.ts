import test from 'ava';
import type { Beat } from '../../../runtime/model/session.ts';
import { BeatsClient, type BeatsListener } from '../../../runtime/rpc/beats-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { beatOf } from '../../support/rpc-world.ts';

const BEAT = beatOf('w-1');

function watched() {
  const clock = new ManualClock();
  const streams: { readonly said: Beat[]; readonly listener: BeatsListener; isClosed: boolean }[] = [];
  const client = new BeatsClient((listener) => {
    const stream = { said: [] as Beat[], listener, isClosed: false };
    streams.push(stream);
    return {
      say: (beat) => stream.said.push(beat),
      close: () => {
        stream.isClosed = true;
      },
    };
  }, clock);
  return { clock, client, streams };
}

test('answers belong to the beats in their order', async (t) => {
  const { client, streams } = watched();
  const answers = [1, 2].map(() => client.beat(BEAT, 100));
  for (const epoch of [5, 6]) streams[0]?.listener.onReply({ epoch, isSuperseded: false });
  t.deepEqual(await Promise.all(answers), [
    { kind: 'reply', reply: { epoch: 5, isSuperseded: false } },
    { kind: 'reply', reply: { epoch: 6, isSuperseded: false } },
  ]);
  t.is(streams.length, 1);
});

test('a beat that asks for nothing has no deadline, and no answer belongs to it; the first of a stream asks in any case', async (t) => {
  const { clock, client, streams } = watched();
  const silent = { ...BEAT, isAsking: false };
  const first = client.beat(silent, 100);
  streams[0]?.listener.onReply({ epoch: 5, isSuperseded: false });
  t.like(await first, { kind: 'reply', reply: { epoch: 5 } });
  t.deepEqual(await client.beat(silent, 100), { kind: 'reply', reply: null });
  t.false(clock.runNext(), 'no timer is left');
  const asked = client.beat(BEAT, 100);
  streams[0]?.listener.onReply({ epoch: 6, isSuperseded: false });
  t.like(await asked, { kind: 'reply', reply: { epoch: 6 } });
  t.deepEqual(
    streams[0]?.said.map(({ isAsking }) => isAsking),
    [true, false, true],
  );
});

test('a beat that is late ends the stream and what waits behind it; an answer in time leaves no deadline behind', async (t) => {
  const { clock, client, streams } = watched();
  const first = client.beat(BEAT, 100);
  streams[0]?.listener.onReply({ epoch: 5, isSuperseded: false });
  t.like(await first, { kind: 'reply' });
  const late = [client.beat(BEAT, 100), client.beat(BEAT, 900)];
  await clock.advance(99);
  t.false(streams[0]?.isClosed);
  await clock.advance(1);
  for (const answer of await Promise.all(late)) t.like(answer, { kind: 'unreachable', detail: 'no answer to a beat within 100 ms' });
  t.true(streams[0]?.isClosed);
  t.false(clock.runNext(), 'no timer is left');
  const next = client.beat(BEAT, 100);
  streams[1]?.listener.onReply({ epoch: 5, isSuperseded: false });
  t.like(await next, { kind: 'reply' });
});

test('the last word of a stream is that of every beat on it, and an answer to no beat ends it', async (t) => {
  const { client, streams } = watched();
  const passive = { kind: 'not-leader', primaryAddress: 'c:1' } as const;
  const answers = [1, 2].map(() => client.beat(BEAT, 100));
  streams[0]?.listener.onEnd(passive);
  t.deepEqual(await Promise.all(answers), [passive, passive]);
  const again = client.beat(BEAT, 100);
  streams[1]?.listener.onReply({ epoch: 5, isSuperseded: false });
  streams[1]?.listener.onReply({ epoch: 5, isSuperseded: false });
  await again;
  t.true(streams[1]?.isClosed);
});

test('closed, what is under way is answered, and no timer is left', async (t) => {
  const { clock, client, streams } = watched();
  const answer = client.beat(BEAT, 100);
  client.close();
  t.like(await answer, { kind: 'unreachable' });
  t.true(streams[0]?.isClosed);
  t.false(clock.runNext());
});

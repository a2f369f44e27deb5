import test from 'ava';
import { RolloutError } from '../../runtime/base/errors.ts';
import type { Beat, BeatReply } from '../../runtime/model/session.ts';
import type { StreamWriter } from '../../runtime/rpc/core.ts';
import { beatOf, DEADLINE_MS, inWorld, notingCore } from '../support/rpc-world.ts';
import { until } from '../support/until.ts';

/** Beats over real streams and mTLS. */

const WAIT_MS = 10_000;
const SHORT_MS = 200;

/** A core that notes each stream of beats and what comes on it, and answers where it is told to. */
function hearing() {
  const streams: { readonly writer: StreamWriter<BeatReply>; readonly heard: Beat[]; isGone: boolean }[] = [];
  const told = { isAnswering: true, epoch: 3 };
  const calls: Beat[] = [];
  const { core } = notingCore({
    beat: async (beat) => {
      calls.push(beat);
      return { epoch: told.epoch, isSuperseded: false };
    },
    beats: (_worker, writer) => {
      const stream = { writer, heard: [] as Beat[], isGone: false };
      streams.push(stream);
      return {
        onMessage: (beat) => {
          stream.heard.push(beat);
          if (told.isAnswering) writer.send({ epoch: told.epoch, isSuperseded: false }, () => undefined);
        },
        gone: () => {
          stream.isGone = true;
        },
      };
    },
  });
  return { core, streams, told, calls };
}

test('all beats of a client go over one stream, whole, and each gets its answer', async (t) => {
  const { core, streams, told, calls } = hearing();
  await inWorld(t, core, async ({ worker }) => {
    const client = await worker('w-1');
    const beats = [0, 1, 2, 3].map((lag): Beat => ({ ...beatOf('w-1'), loopLagMs: lag, detail: lag < 2 ? '' : 'waiting' }));
    const first = await Promise.all(beats.slice(0, 2).map((beat) => client.beat(beat, DEADLINE_MS)));
    told.epoch = 4;
    const second = await Promise.all(beats.slice(2).map((beat) => client.beat(beat, DEADLINE_MS)));
    t.deepEqual(
      [...first, ...second].map((answer) => answer.kind === 'reply' && answer.reply?.epoch),
      [3, 3, 4, 4],
    );
    t.is(streams.length, 1);
    t.deepEqual(streams[0]?.heard, beats);
    t.deepEqual(calls, [], 'no call was made beside it');
    client.close();
    await until('the core hears that it is over', WAIT_MS, () => streams[0]?.isGone);
  });
});

test('a beat that asks for nothing is heard, and its client waits for no answer', async (t) => {
  const { core, streams } = hearing();
  await inWorld(t, core, async ({ worker }) => {
    const client = await worker('w-1');
    const silent = { ...beatOf('w-1'), isAsking: false };
    t.like(await client.beat(silent, DEADLINE_MS), { kind: 'reply', reply: { epoch: 3 } }, 'the first of a stream asks');
    t.deepEqual(await client.beat(silent, DEADLINE_MS), { kind: 'reply', reply: null });
    await until('both are heard', WAIT_MS, () => streams[0]?.heard.length === 2);
    t.deepEqual(
      streams[0]?.heard.map(({ isAsking }) => isAsking),
      [true, false],
    );
  });
});

test('transport poll: each beat is a call of its own', async (t) => {
  const { core, streams, calls } = hearing();
  await inWorld(t, core, async ({ worker }) => {
    const client = await worker('w-1', undefined, 'poll');
    for (const lag of [0, 1]) t.like(await client.beat({ ...beatOf('w-1'), loopLagMs: lag }, DEADLINE_MS), { kind: 'reply' });
    t.deepEqual([streams.length, calls.length], [0, 2]);
  });
});

test('a stream of beats speaks for one worker and one boot', async (t) => {
  const { core, streams } = hearing();
  await inWorld(t, core, async ({ worker, asWorker }) => {
    const stranger = await asWorker({ role: 'worker', workerId: 'w-2' });
    t.like(await stranger.beat(beatOf('w-1'), DEADLINE_MS), { kind: 'refused' });
    t.is(streams.length, 0, 'the core hears nothing of it');
    for (const other of [{ workerId: 'w-9' }, { bootNonce: 'other' }]) {
      const client = await worker('w-1');
      t.like(await client.beat(beatOf('w-1'), DEADLINE_MS), { kind: 'reply' });
      t.like(await client.beat({ ...beatOf('w-1'), ...other }, DEADLINE_MS), { kind: 'refused' });
      t.is(streams.at(-1)?.heard.length, 1);
    }
  });
});

test('a beat that is not answered in its time ends the stream and all that wait on it; the next one opens another', async (t) => {
  const { core, streams, told } = hearing();
  await inWorld(t, core, async ({ worker }) => {
    const client = await worker('w-1');
    t.like(await client.beat(beatOf('w-1'), DEADLINE_MS), { kind: 'reply' });
    told.isAnswering = false;
    const unanswered = await Promise.all([client.beat(beatOf('w-1'), SHORT_MS), client.beat(beatOf('w-1'), DEADLINE_MS)]);
    t.deepEqual(
      unanswered.map(({ kind }) => kind),
      ['unreachable', 'unreachable'],
    );
    await until('the core hears that it is over', WAIT_MS, () => streams[0]?.isGone);
    told.isAnswering = true;
    t.like(await client.beat(beatOf('w-1'), DEADLINE_MS), { kind: 'reply' });
    t.is(streams.length, 2);
  });
});

test('a coordinator that is passive, is fenced, or stops says so to every beat that waits', async (t) => {
  await inWorld(t, null, async ({ worker }) => {
    const answers = await Promise.all([1, 2].map(async () => (await worker('w-1')).beat(beatOf('w-1'), DEADLINE_MS)));
    for (const answer of answers) t.deepEqual(answer, { kind: 'not-leader', primaryAddress: '10.0.0.9:50051' });
  });
  const { core, streams, told } = hearing();
  await inWorld(t, core, async ({ worker, server }) => {
    told.isAnswering = false;
    const client = await worker('w-1');
    const fenced = [1, 2].map(() => client.beat(beatOf('w-1'), DEADLINE_MS));
    await until('both are heard', WAIT_MS, () => streams[0]?.heard.length === 2);
    streams[0]?.writer.fail(new RolloutError('FENCED', 'another coordinator has taken over'));
    for (const answer of await Promise.all(fenced))
      t.like(answer, { kind: 'unreachable', detail: 'UNAVAILABLE: fenced: another coordinator has taken over' });
    const stopped = client.beat(beatOf('w-1'), DEADLINE_MS);
    await until('it is heard', WAIT_MS, () => streams[1]?.heard.length === 1);
    await server.stop(1_000);
    t.like(await stopped, { kind: 'unreachable' });
  });
});

import test from 'ava';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';
import type { Occurrence } from '../../../../operator/kube/event-series.ts';
import { type Event, NODE, POD } from '../../../../operator/kube/kind.ts';
import type { Ref } from '../../../../operator/kube/object.ts';
import { createRecorder, type Recorder, type RecorderOptions } from '../../../../operator/kube/recorder.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const DRAINED: Occurrence = {
  kind: POD,
  object: { metadata: { name: 'p1', namespace: 'ns', uid: 'u1' } },
  type: 'Normal',
  reason: 'Drained',
  action: 'Drain',
  note: 'it was drained',
};

interface Stage {
  readonly recorder: Recorder;
  readonly clock: ManualClock;
  readonly created: Event[];
  readonly patched: { readonly ref: Ref; readonly patch: object }[];
}

/** `meet` runs before each call, with its number from 1; it may throw or wait. */
function stage(meet: (call: number) => Promise<void> = async () => undefined): Stage {
  const clock = new ManualClock();
  const created: Event[] = [];
  const patched: { readonly ref: Ref; readonly patch: object }[] = [];
  let calls = 0;
  const client = {
    create: async (_kind: unknown, event: Event) => {
      calls += 1;
      await meet(calls);
      created.push(event);
      return event;
    },
    patch: async (_kind: unknown, ref: Ref, patch: object) => {
      calls += 1;
      await meet(calls);
      patched.push({ ref, patch });
      return patch;
    },
  } as unknown as RecorderOptions['client'];
  const recorder = createRecorder({
    client,
    controller: 'example.io/things',
    instance: 'pod-1',
    clock,
    random: seededRandom(3),
    log: silentLog,
  });
  return { recorder, clock, created, patched };
}

test('an event says what happened to which object, and who reports it', async (t) => {
  const { recorder, clock, created } = stage();
  recorder.record(DRAINED);
  await clock.advance(0);
  const [event] = created;
  t.like(event, {
    eventTime: '1970-01-01T00:00:01.000000Z',
    reportingController: 'example.io/things',
    reportingInstance: 'pod-1',
    type: 'Normal',
    reason: 'Drained',
    action: 'Drain',
    note: 'it was drained',
    regarding: { apiVersion: 'v1', kind: 'Pod', name: 'p1', namespace: 'ns', uid: 'u1' },
  });
  t.is(event?.metadata.namespace, 'ns');
  t.regex(event?.metadata.name ?? '', /^p1\.[0-9a-f]{16}$/);
});

test('what happens again is one event with a count, which is written after a while and only where it grew', async (t) => {
  const { recorder, clock, created, patched } = stage();
  for (let at = 0; at < 4; at += 1) {
    recorder.record(DRAINED);
    await clock.advance(1_000);
  }
  await clock.advance(60_000);
  t.is(created.length, 1);
  t.deepEqual(patched, [
    {
      ref: { namespace: 'ns', name: created[0]?.metadata.name ?? '' },
      patch: { series: { count: 4, lastObservedTime: '1970-01-01T00:00:04.000000Z' } },
    },
  ]);
  await clock.advance(3_600_000);
  t.is(patched.length, 1);
});

test('an event about what has no namespace names none in what it regards', async (t) => {
  const { recorder, clock, created } = stage();
  recorder.record({ ...DRAINED, kind: NODE, object: { metadata: { name: 'n1' } } });
  await clock.advance(0);
  t.is(created[0]?.metadata.namespace, 'default');
  t.deepEqual(created[0]?.regarding, { apiVersion: 'v1', kind: 'Node', name: 'n1' });
});

test('a note that is too long is cut to what the server takes, at a whole character', async (t) => {
  const { recorder, clock, created } = stage();
  for (let extra = 0; extra < 4; extra += 1) recorder.record({ ...DRAINED, note: `${'x'.repeat(extra)}${'ü€'.repeat(400)}` });
  recorder.record({ ...DRAINED, note: 'y'.repeat(1_024) });
  await clock.advance(0);
  for (const { note = '' } of created) {
    t.true(Buffer.byteLength(note) <= 1_024);
    t.true(Buffer.byteLength(note) > 1_000);
    t.false(note.includes('\uFFFD'));
  }
  t.is(created.at(-1)?.note?.length, 1_024);
});

test('nobody waits for an event, and none that fails is heard of', async (t) => {
  const { recorder, clock, created } = stage(async (call) => {
    if (call <= 2) throw new NoAnswer('reset');
  });
  t.notThrows(() => recorder.record(DRAINED));
  await clock.advance(10_000);
  t.is(created.length, 1);
});

test('an event that was written without an answer is one event, and is counted on', async (t) => {
  const { recorder, clock, created, patched } = stage(async (call) => {
    if (call === 1) throw new NoAnswer('reset');
    if (call === 2) throw new ApiError(409, 'already there', { reason: 'AlreadyExists' });
  });
  recorder.record(DRAINED);
  await clock.advance(5_000);
  recorder.record(DRAINED);
  await clock.advance(60_000);
  t.is(created.length, 0);
  t.is(patched.length, 1);
});

test('what the server refuses is not tried again, and the next occurrence is an event of its own', async (t) => {
  let calls = 0;
  const { recorder, clock, created } = stage(async (call) => {
    calls = call;
    if (call === 1) throw new ApiError(403, 'the namespace is being terminated', { reason: 'Forbidden' });
  });
  recorder.record(DRAINED);
  await clock.advance(60_000);
  t.is(calls, 1);
  recorder.record(DRAINED);
  await clock.advance(0);
  t.is(created.length, 1);
});

test('a count for an event that is gone begins a new event', async (t) => {
  const { recorder, clock, created } = stage(async (call) => {
    if (call === 2) throw new ApiError(404, 'it has expired', { reason: 'NotFound' });
  });
  recorder.record(DRAINED);
  recorder.record(DRAINED);
  await clock.advance(60_000);
  recorder.record(DRAINED);
  await clock.advance(0);
  t.is(created.length, 2);
});

test('a server that takes nothing for long makes events wait, up to a limit', async (t) => {
  const ends: (() => void)[] = [];
  const { recorder, clock, created } = stage(() => new Promise((resolve) => ends.push(resolve)));
  for (let at = 0; at < 3_000; at += 1) {
    recorder.record({ ...DRAINED, object: { metadata: { name: `p${at}`, namespace: 'ns' } } });
  }
  for (let at = 0; at < 3_000; at += 1) {
    ends.shift()?.();
    await clock.advance(0);
  }
  t.true(created.length >= 1_000 && created.length <= 1_001, `${created.length}`);
});

test('at the end what is left is written, the counts too, and nothing after it', async (t) => {
  const { recorder, clock, created, patched } = stage();
  recorder.record(DRAINED);
  recorder.record(DRAINED);
  const stopped = recorder.stop(5_000);
  await clock.advance(0);
  await stopped;
  recorder.record({ ...DRAINED, reason: 'Late' });
  await clock.advance(60_000);
  t.is(created.length, 1);
  t.is(patched.length, 1);
});

test('the end does not wait for a server that does not answer', async (t) => {
  const { recorder, clock } = stage(() => new Promise(() => undefined));
  recorder.record(DRAINED);
  const stopped = recorder.stop(5_000);
  await clock.advance(5_000);
  await t.notThrowsAsync(stopped);
});

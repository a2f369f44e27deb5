import test from 'ava';
import type { Command } from '../../../../runtime/coordinator/state/commands.ts';
import { MAX_STREAM_BATCH_BYTES } from '../../../../runtime/coordinator/workers/delivery.ts';
import { MAX_UNHEARD_SCANS, PULSE_SCANS } from '../../../../runtime/coordinator/workers/sessions.ts';
import type { Poll } from '../../../../runtime/model/session.ts';
import { heldItem, kinds, Machine, messageOf, ofKind, okReply, only, outcomeOf, ref, twoRunning } from '../../../support/machine.ts';

const HELD = [heldItem(0), heldItem(1)];

/** A stream of worker w1, as the machine sees it. */
class Stream {
  readonly machine: Machine;
  readonly token: number;

  constructor(machine: Machine) {
    this.machine = machine;
    this.token = machine.token();
  }

  say(more: Partial<Poll> = {}): readonly Command[] {
    return this.machine.tell({ kind: 'message', poll: messageOf('w1', more), token: this.token });
  }

  written(): readonly Command[] {
    return this.machine.tell({ kind: 'written', worker: 'w1', token: this.token });
  }
}

/** The stream of a worker that holds items 0 and 1, its hello answered and written. */
function opened(): Stream {
  const stream = new Stream(twoRunning());
  stream.machine.beat('w1');
  const commands = stream.say({ hello: HELD });
  if (kinds(commands).join() !== 'reply-poll') throw new Error(`unexpected answer: ${kinds(commands).join()}`);
  stream.written();
  return stream;
}

function pulses(machine: Machine, scans: number, fromMs: number): number {
  let count = 0;
  for (let scan = 1; scan <= scans; scan += 1) {
    machine.beat('w1');
    count += ofKind(machine.tick(fromMs + scan * 250), 'reply-poll').length;
  }
  return count;
}

test('L26: the first message of a stream opens the session, and is answered at once', (t) => {
  const stream = new Stream(twoRunning());
  const reply = okReply(stream.say({ hello: [...HELD, heldItem(5)] }));
  t.deepEqual([reply.batch, reply.revoked, reply.order], [1, [ref(5)], 'work']);
});

test('L26: the newest session wins: the stream before it is ended, and what still comes of it is asked for a hello', (t) => {
  const old = opened();
  const next = new Stream(old.machine);
  const commands = next.say({ hello: HELD, session: 2 });
  t.deepEqual(only(commands, 'end-session', 'reply-poll'), { kind: 'end-session', token: old.token });
  t.is(only(commands, 'reply-poll', 'end-session').token, next.token);
  t.like(only(old.say({ outcomes: [outcomeOf(ref(0))] }), 'reply-poll'), { token: old.token, reply: { status: 'hello-needed' } });
  t.deepEqual(kinds(old.written()), [], 'nothing more is said there');
});

test('L26: a stream takes the session of a poll over, and a poll that of a stream', (t) => {
  const machine = twoRunning();
  machine.poll('w1', { hello: HELD });
  const stream = new Stream(machine);
  const [empty, hello] = ofKind(stream.say({ hello: HELD, session: 2 }), 'reply-poll');
  t.like(empty, { reply: { status: 'ok', batch: 0 } }, 'the poll that waited is answered');
  t.is(hello?.token, stream.token);
  const back = machine.tell({ kind: 'poll', poll: messageOf('w1', { hello: HELD, session: 3, waitMs: 20_000 }), token: machine.token() });
  t.deepEqual(only(back, 'end-session').token, stream.token);
});

test('L26: a message without hello on a stream that has opened no session is asked for one; so is a hello of an old session', (t) => {
  const stream = new Stream(twoRunning());
  t.like(only(stream.say(), 'reply-poll'), { reply: { status: 'hello-needed' } });
  const known = opened();
  const other = new Stream(known.machine);
  t.like(only(other.say(), 'reply-poll'), { token: other.token, reply: { status: 'hello-needed' } });
  t.like(only(other.say({ hello: HELD }), 'reply-poll'), { token: other.token, reply: { status: 'hello-needed' } });
});

test('a stream of a worker that has not registered is answered at the next tick, once', (t) => {
  const stream = new Stream(new Machine());
  t.deepEqual(kinds(stream.say({ hello: [] })), []);
  t.deepEqual(kinds(stream.say({ hello: [] })), []);
  t.like(only(stream.machine.tick(1_250), 'reply-poll'), { token: stream.token, reply: { status: 'hello-needed' } });
});

test('L26: a replaced boot is told so on its stream', (t) => {
  const stream = opened();
  const replaced = stream.machine.beat('w1', { boot: 'b2', pid: 8 });
  t.like(only(replaced, 'reply-poll', 'end-session', 'register', 'emit'), { token: stream.token, reply: { status: 'superseded' } });
  t.is(only(replaced, 'end-session', 'reply-poll', 'register', 'emit').token, stream.token);
  t.like(only(new Stream(stream.machine).say({ hello: [], session: 9 }), 'reply-poll'), { reply: { status: 'superseded' } });
});

test('while a message has not left nothing more is said: a peer that does not read costs one message', (t) => {
  const stream = opened();
  t.deepEqual(okReply(stream.say({ returns: [{ ...ref(7), reason: 'drained', delayMs: 0, detail: '' }] })).acknowledged, [ref(7)]);
  for (const index of [8, 9]) {
    t.is(ofKind(stream.say({ returns: [{ ...ref(index), reason: 'drained', delayMs: 0, detail: '' }] }), 'reply-poll').length, 0);
  }
  t.is(pulses(stream.machine, 2 * PULSE_SCANS, 1_000), 0, 'not even a pulse');
  t.deepEqual(okReply(stream.written()).acknowledged, [ref(8), ref(9)], 'what came up meanwhile goes together');
});

test('C10: a stream on which nothing is to be said hears a pulse every three heartbeat intervals', (t) => {
  const stream = opened();
  t.is(pulses(stream.machine, 5, 1_000), 0);
  t.like(okReply(stream.machine.tick(2_500)), { batch: 0, acknowledged: [], order: 'work' });
  stream.written();
  t.is(pulses(stream.machine, 5, 2_500), 0);
  t.is(ofKind(stream.machine.tick(4_000), 'reply-poll').length, 1);
});

test('C10, C12: a worker that was told to beat once a second hears a pulse every three seconds', (t) => {
  const stream = opened();
  for (let nth = 1; nth <= 500; nth += 1) {
    stream.machine.beat(`x${nth}`);
    stream.machine.tell({ kind: 'registered', worker: `x${nth}`, bootNonce: 'b1' });
  }
  stream.machine.beat('w1');
  t.is(pulses(stream.machine, 11, 1_000), 0);
  t.is(pulses(stream.machine, 1, 3_750), 1);
});

test('a stream on which nothing was heard for so many scans is ended', (t) => {
  const stream = opened();
  const ends = (scans: number): number => {
    let count = 0;
    for (let scan = 0; scan < scans; scan += 1) {
      stream.machine.beat('w1');
      count += ofKind(stream.machine.tick(stream.machine.nowMs + 250), 'end-session').length;
    }
    return count;
  };
  t.is(ends(MAX_UNHEARD_SCANS), 0);
  stream.say();
  t.is(ends(MAX_UNHEARD_SCANS), 0, 'any word counts');
  t.is(ends(1), 1);
});

test('L27: a batch goes once over a stream, and the next when it is acknowledged', (t) => {
  const machine = new Machine();
  machine.supply(4);
  machine.beat('w1');
  machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' });
  const stream = new Stream(machine);
  const loaded = machine.load(machine.grantAll(stream.say({ hello: [], capacity: 2 })));
  t.is(ofKind(loaded, 'reply-poll').length, 0, 'the answer to the hello has not left');
  t.is(okReply(stream.written()).assignments.length, 2);
  stream.written();
  t.is(ofKind(stream.say({ capacity: 2 }), 'reply-poll').length, 0, 'a stream loses nothing: it is not sent again');
  const more = machine.load(machine.grantAll(stream.say({ capacity: 2, acknowledgedBatch: 1 })));
  t.deepEqual(
    okReply(more).assignments.map(({ index }) => index),
    [2, 3],
  );
});

test('a batch over a stream is short, so that pulses come through on a slow way', (t) => {
  const machine = new Machine();
  machine.supply(3);
  machine.beat('w1');
  machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' });
  const stream = new Stream(machine);
  const { refs } = only(machine.grantAll(stream.say({ hello: [], capacity: 3 })), 'load');
  const line = Buffer.alloc(MAX_STREAM_BATCH_BYTES / 2);
  machine.tell({ kind: 'loaded', worker: 'w1', assignments: refs.map((of) => ({ ...of, line, lineNumber: 1, form: 'batch' as const })) });
  t.is(okReply(stream.written()).assignments.length, 2);
});

test('L27: a peer that hung up is told nothing more; its next session gets what it does not hold', (t) => {
  const stream = opened();
  stream.machine.tell({ kind: 'hung-up', worker: 'w1', token: stream.token });
  t.is(pulses(stream.machine, 2 * PULSE_SCANS, 1_000), 0);
  const next = new Stream(stream.machine);
  const commands = next.say({ hello: [heldItem(0)], session: 2 });
  t.deepEqual(only(commands, 'load', 'reply-poll').refs, [ref(1)]);
});

test('what a worker may forget goes with the lines that are being read for it', (t) => {
  const stream = opened();
  const { machine } = stream;
  machine.supply(3);
  stream.say({ capacity: 1, outcomes: [outcomeOf(ref(0))] });
  const known = machine.tell({
    kind: 'committed',
    recordings: [{ worker: 'w1', outcome: outcomeOf(ref(0)) }],
    verdicts: ['accepted'],
    returns: [],
    handedBack: [],
    claimed: [{ kind: 'claimed', granted: [{ from: 2, count: 1, attempt: 1 }], found: [], cursor: 3 }],
  });
  t.is(ofKind(known, 'reply-poll').length, 0);
  const reply = okReply(machine.load(known));
  t.deepEqual([reply.acknowledged, reply.assignments.map(({ index }) => index)], [[ref(0)], [2]]);
});

test('L31: a worker that drains is told what it may forget at once, whatever is being read for it', (t) => {
  const stream = opened();
  const { machine } = stream;
  machine.supply(3);
  stream.say({ capacity: 1, outcomes: [outcomeOf(ref(0))] });
  machine.tell({ kind: 'claimed', results: [{ kind: 'claimed', granted: [{ from: 2, count: 1, attempt: 1 }], found: [], cursor: 3 }] });
  machine.beat('w1', { says: 'draining' });
  const known = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: outcomeOf(ref(0)) }], verdicts: ['accepted'] });
  t.deepEqual(okReply(known).acknowledged, [ref(0)]);
});

import test from 'ava';
import { createLoop, type Loop } from '../../../../runtime/coordinator/perform/loop.ts';
import { Replies } from '../../../../runtime/coordinator/perform/replies.ts';
import type { Command } from '../../../../runtime/coordinator/state/commands.ts';
import { stateFrom } from '../../../../runtime/coordinator/state/mirror.ts';
import { scanIntervalMs } from '../../../../runtime/coordinator/workers/failure.ts';
import { messageOf } from '../../../support/machine.ts';
import { EPOCH, SETTINGS, scanOf } from '../../../support/machine-start.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** Between two scans. */
const SCAN_MS = scanIntervalMs(SETTINGS);

function loopOver(
  perform: (command: Command) => void,
  failures: unknown[],
  { clock = new ManualClock(), isFresh = () => true }: { clock?: ManualClock; isFresh?: () => boolean } = {},
): Loop {
  return createLoop({
    runId: 'run',
    state: stateFrom(SETTINGS, EPOCH, scanOf({}), clock.monotonicMs()),
    clock,
    replies: new Replies(),
    isFresh,
    room: () => null,
    indexed: () => ({ count: 0, items: null }),
    perform: () => perform,
    onFailure: (cause) => failures.push(cause),
  });
}

test('what comes while commands are carried out waits for the last of them', (t) => {
  const seen: string[] = [];
  const loop: Loop = loopOver(({ kind }) => {
    seen.push(kind);
    if (kind === 'survey') loop.tell({ kind: 'beat', beat: BEAT, token: 1 });
  }, []);
  loop.tell({ kind: 'started' });
  t.deepEqual(seen, ['survey', 'register', 'emit', 'emit']);
});

test('after a failure nothing more is decided: what the machine holds may be half of a step', (t) => {
  const seen: string[] = [];
  const failures: unknown[] = [];
  const bug = new Error('a bug');
  const loop = loopOver(({ kind }) => {
    seen.push(kind);
    throw bug;
  }, failures);
  loop.tell({ kind: 'started' });
  loop.tell({ kind: 'beat', beat: BEAT, token: 1 });
  t.deepEqual([seen, failures], [['survey'], [bug]]);
});

test('beats of a stream are facts in their order, under one token, until their caller is gone', (t) => {
  const seen: Command[] = [];
  const loop = loopOver((command) => seen.push(command), []);
  const receiver = loop.beats('w1', { send: () => t.fail(), end: () => t.fail(), fail: () => t.fail() });
  receiver.onMessage(BEAT);
  loop.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' });
  receiver.onMessage(BEAT);
  receiver.gone();
  const tokens = seen.filter((one) => one.kind === 'reply-beat').map(({ token }) => token);
  t.is(tokens.length, 2);
  t.is(new Set(tokens).size, 1);
});

test('L46: with a lease that has run out nobody is kept, and no time passes, until it is renewed', async (t) => {
  const clock = new ManualClock();
  const seen: Command[] = [];
  let isLeaseFresh = true;
  const loop = loopOver((command) => seen.push(command), [], { clock, isFresh: () => isLeaseFresh });
  loop.start();
  const refused: string[] = [];
  const writer = { send: () => undefined, end: () => t.fail(), fail: (cause: Error) => refused.push(cause.message) };
  loop.beats('w1', writer).onMessage(BEAT);
  const poll = loop.poll(messageOf('w1', { hello: [], waitMs: 60_000 }), new AbortController().signal);
  isLeaseFresh = false;
  await clock.advance(SCAN_MS);
  t.deepEqual(refused, [], 'it may have stood still for a moment');
  await clock.advance(SCAN_MS);
  t.regex(refused[0] ?? '', /lease .* has run out/);
  await t.throwsAsync(poll, { code: 'COORDINATOR_UNREACHABLE' });
  await clock.advance(60_000);
  isLeaseFresh = true;
  await clock.advance(SCAN_MS);
  const failed = seen.filter((one) => one.kind === 'emit' && one.event.kind === 'worker_failed');
  t.deepEqual(failed, [], 'nobody could be heard meanwhile');
});

const BEAT = {
  workerId: 'w1',
  bootNonce: 'b1',
  state: 'ready',
  concurrency: 1,
  pid: 7,
  loopLagMs: 0,
  highestEpoch: EPOCH,
  detail: '',
  node: '',
  isAsking: true,
} as const;

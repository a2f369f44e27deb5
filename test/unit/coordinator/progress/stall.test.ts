import test from 'ava';
import { stallOf } from '../../../../runtime/coordinator/progress/stall.ts';
import type { RunEvent } from '../../../../runtime/model/event.ts';
import { heldItem, kinds, type Machine, ofKind, outcomeOf, ref, twoRunning } from '../../../support/machine.ts';
import type { Start } from '../../../support/machine-start.ts';

const AFTER_MS = 10_000;

/** Worker w1 has two items, one of which ends after a second; the other never does. */
function waiting(settings: Start['settings'] = {}, more: Start = {}): Machine {
  const machine = twoRunning({ ...more, settings: { stallAfterMs: AFTER_MS, ...settings } });
  machine.join('w1', { held: [heldItem(0), heldItem(1)], capacity: 0 });
  pass(machine, 2_000);
  const outcome = outcomeOf(ref(0));
  machine.poll('w1', { outcomes: [outcome] });
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  return machine;
}

/** Time passes in steps of a scan; the events of it. */
function pass(machine: Machine, untilMs: number, beat: (machine: Machine) => unknown = (one) => one.beat('w1')): readonly RunEvent[] {
  const events: RunEvent[] = [];
  while (machine.nowMs < untilMs) {
    beat(machine);
    events.push(...ofKind(machine.tick(machine.nowMs + 250), 'emit').map(({ event }) => event));
  }
  return events.filter(({ kind }) => kind === 'run_stalled' || kind === 'run_goes_on' || kind === 'run_finished');
}

test('a run in which nothing ends for long says so once, with what stands in the way', (t) => {
  const machine = waiting();
  t.deepEqual(pass(machine, 11_500), [], 'not before its time');
  t.is(stallOf(machine.state, machine.nowMs), null);
  const events = pass(machine, 30_000);
  t.like(events, [{ kind: 'run_stalled', why: '1 items are being executed, and none has ended' }]);
  t.is(events.length, 1);
  t.like(stallOf(machine.state, machine.nowMs), { why: '1 items are being executed, and none has ended' });
});

test('ten times the longest item time seen must have passed', (t) => {
  const machine = waiting({ stallAfterMs: 1 });
  t.deepEqual(pass(machine, 11_500), [], 'the first item took a second');
  t.is(pass(machine, 13_000).length, 1);
});

test('where the reason changes it is told again', (t) => {
  const machine = waiting();
  pass(machine, 15_000);
  t.deepEqual(pass(machine, 16_000), []);
  const away = pass(machine, 25_000, () => undefined);
  t.is(away.length, 1, 'the worker has gone');
  t.like(away[0], { kind: 'run_stalled' });
});

test('an item that ends after a stall is told, and the run has not stalled any more', (t) => {
  const machine = waiting();
  pass(machine, 15_000);
  const outcome = outcomeOf(ref(1));
  machine.poll('w1', { outcomes: [outcome] });
  const commands = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.true(ofKind(commands, 'emit').some(({ event }) => event.kind === 'run_goes_on'));
  t.is(stallOf(machine.state, machine.nowMs), null);
});

test('without a worker, after losses, the run says that workers were lost', (t) => {
  const machine = waiting();
  const events = pass(machine, 40_000, () => undefined);
  t.regex(
    events.map((event) => (event.kind === 'run_stalled' ? event.why : '')).join('; '),
    /no worker is connected: workers were lost 1 times/,
  );
});

test('at the limit the run ends as stalled, with its reason, and nothing is recorded of it in the ledger', (t) => {
  const machine = waiting({ stallTimeoutMs: 20_000 });
  pass(machine, 21_500);
  machine.beat('w1');
  const commands = machine.tick(22_000);
  t.deepEqual(
    kinds(commands).filter((kind) => kind !== 'reply-poll' && kind !== 'reply-beat'),
    ['emit', 'stop'],
  );
  t.like(ofKind(commands, 'emit')[0], { event: { kind: 'run_finished', state: 'stalled' } });
  t.like(ofKind(commands, 'stop')[0], { outcome: 'stalled', reason: '1 items are being executed, and none has ended' });
});

test('the coordinator’s own pause does not count', (t) => {
  const machine = waiting({ stallTimeoutMs: 20_000 });
  machine.beat('w1');
  t.deepEqual(ofKind(machine.tick(500_000), 'stop'), []);
  t.is(stallOf(machine.state, machine.nowMs), null);
});

test('a stall whose workers say that their disk is full says so', (t) => {
  const machine = waiting();
  const shortage = 'keeps its results in memory: no space in /data';
  const [event] = pass(machine, 30_000, (one) => one.beat('w1', { detail: shortage }));
  t.like(event, { kind: 'run_stalled', why: `1 items are being executed, and none has ended; workers say: ${shortage}` });
});

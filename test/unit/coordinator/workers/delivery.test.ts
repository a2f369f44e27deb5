import test from 'ava';
import { Machine, ofKind, okReply, only } from '../../../support/machine.ts';

test('a batch is cut by bytes: a reply stays far below the message limit', (t) => {
  const machine = new Machine();
  machine.supply(3);
  const commands = machine.grantAll(machine.join('w1', { capacity: 3 }));
  const { refs } = only(commands, 'load');
  const line = Buffer.alloc(3 * 1024 * 1024);
  const assignments = refs.map((ref) => ({ ...ref, line, lineNumber: 1, form: 'batch' as const }));
  t.is(okReply(machine.tell({ kind: 'loaded', worker: 'w1', assignments })).assignments.length, 1);
  for (const [batch, count] of [
    [1, 1],
    [2, 1],
  ] as const) {
    const reply = ofKind(machine.poll('w1', { acknowledgedBatch: batch }), 'reply-poll').at(-1)?.reply;
    t.is(reply?.status === 'ok' ? reply.assignments.length : -1, count);
    t.is(reply?.status === 'ok' ? reply.batch : -1, batch + 1);
  }
});

test('a single line larger than a batch travels alone', (t) => {
  const machine = new Machine();
  machine.supply(1);
  const { refs } = only(machine.grantAll(machine.join('w1', { capacity: 1 })), 'load');
  const assignments = refs.map((ref) => ({ ...ref, line: Buffer.alloc(8 * 1024 * 1024), lineNumber: 1, form: 'batch' as const }));
  t.is(okReply(machine.tell({ kind: 'loaded', worker: 'w1', assignments })).assignments.length, 1);
});

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import type { DrainReply, HintWord } from '../../../../runtime/model/drain.ts';
import {
  DrainRequestSchema,
  DrainResponseSchema,
  HintRequestSchema,
  HintResponseSchema,
} from '../../../../runtime/rpc/gen/rollout/v1/run_pb.ts';
import {
  drainOrderFromWire,
  drainOrderToWire,
  drainReplyFromWire,
  drainReplyToWire,
  hintFromWire,
  hintReplyFromWire,
  hintReplyToWire,
  hintToWire,
} from '../../../../runtime/rpc/mapping/mapping-run.ts';

test('a drain order survives the wire, with a deadline and without; one that is over is not taken for none', (t) => {
  for (const [deadlineMs, there] of [
    [null, null],
    [60_000, 60_000],
    [0, 1],
  ] as const) {
    const order = { workerId: 'w-1', bootNonce: 'b', deadlineMs, reason: 'maintenance' };
    const bytes = toBinary(DrainRequestSchema, drainOrderToWire(order));
    t.deepEqual(drainOrderFromWire(fromBinary(DrainRequestSchema, bytes)), { kind: 'ok', value: { ...order, deadlineMs: there } });
  }
  t.like(drainOrderFromWire(create(DrainRequestSchema, { workerId: 'no such name' })), { kind: 'invalid', field: 'worker_id' });
  t.like(drainOrderFromWire(create(DrainRequestSchema, { workerId: 'w', reason: 'two\nlines' })), { kind: 'invalid', field: 'reason' });
});

test('the answer to a drain survives the wire in every state', (t) => {
  const steps = [{ step: 'finishing', items: 2, remainingMs: 900, reason: 'spot' }] as const;
  const replies: readonly DrainReply[] = [
    { state: 'unknown', workers: ['w-1', 'w-2'] },
    { state: 'draining', bootNonce: 'b', steps },
    { state: 'left', bootNonce: 'b', steps: [] },
    { state: 'lost', bootNonce: 'b', steps: [] },
  ];
  for (const reply of replies) {
    const bytes = toBinary(DrainResponseSchema, drainReplyToWire(reply));
    t.deepEqual(drainReplyFromWire(fromBinary(DrainResponseSchema, bytes)), { kind: 'ok', value: reply });
  }
  t.like(drainReplyFromWire(create(DrainResponseSchema, {})), { kind: 'invalid', field: 'state' });
});

test('a hint survives the wire with all that it may say; one that names nobody is refused', (t) => {
  const words: readonly HintWord[] = [
    { node: 'n1', worker: null, severity: 'drain', provider: 'aws', deadlineMs: null, reason: 'spot' },
    { node: null, worker: 'w-1', severity: 'withdrawn', provider: null, deadlineMs: 5_000, reason: '' },
    { node: 'n1', worker: 'w-1', severity: 'gone', provider: 'gcp', deadlineMs: null, reason: '' },
    { node: 'n1', worker: null, severity: 'hint', provider: 'azure', deadlineMs: null, reason: '' },
  ];
  for (const word of words) {
    const bytes = toBinary(HintRequestSchema, hintToWire(word));
    t.deepEqual(hintFromWire(fromBinary(HintRequestSchema, bytes)), { kind: 'ok', value: word });
  }
  t.like(hintFromWire(create(HintRequestSchema, { severity: 1 })), { kind: 'invalid', field: 'node' });
  t.like(hintFromWire(create(HintRequestSchema, { node: 'n' })), { kind: 'invalid', field: 'severity' });
  const bytes = toBinary(HintResponseSchema, hintReplyToWire({ workers: ['w-1'] }));
  t.deepEqual(hintReplyFromWire(fromBinary(HintResponseSchema, bytes)), { kind: 'ok', value: { workers: ['w-1'] } });
});

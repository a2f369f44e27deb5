import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import type { CoordinatorInfo, RunStatus } from '../../../../runtime/model/status.ts';
import { IdentifyResponseSchema } from '../../../../runtime/rpc/gen/rollout/v1/coordinator_pb.ts';
import { StatusResponseSchema } from '../../../../runtime/rpc/gen/rollout/v1/run_pb.ts';
import { infoFromWire, infoToWire, statusFromWire, statusToWire } from '../../../../runtime/rpc/mapping/mapping-status.ts';

const COUNTS = {
  runId: 'R1',
  epoch: 4,
  items: 9,
  isIndexed: true,
  done: 3,
  failed: 1,
  running: 2,
  prefetched: 1,
  handedBack: 1,
  redone: 2,
};

test('a status survives the wire in every state', (t) => {
  const states = [{ kind: 'running' }, { kind: 'paused', reason: 'quota' }, { kind: 'completed' }] as const;
  const workers = (['init', 'ready', 'not-ready', 'draining', 'suspected'] as const).map((state, i) => ({
    workerId: `w-${i}`,
    state,
    running: i,
    concurrency: 8,
    sinceBeatMs: 100 * i,
    detail: state === 'not-ready' ? 'waiting for http://h:1: answered 500' : '',
  }));
  const waits = [
    { reason: 'http_500: CUDA error', items: 3, nextTryMs: 0 },
    { reason: 'timeout', items: 1, nextTryMs: null },
  ];
  for (const state of states) {
    for (const stall of [null, { sinceMs: 200_000, why: 'no worker is connected' }]) {
      const results = stall === null ? null : { usedBytes: 3 * 1_024, limitBytes: 8 * 2 ** 30 };
      const status: RunStatus = { ...COUNTS, state, workers, waits, stall, results };
      const bytes = toBinary(StatusResponseSchema, statusToWire(status));
      t.deepEqual(statusFromWire(fromBinary(StatusResponseSchema, bytes)), { kind: 'ok', value: status });
    }
  }
});

test('a coordinator says of itself what it is in every role', (t) => {
  for (const role of ['passive', 'primary'] as const) {
    const info: CoordinatorInfo = { epoch: 2, role, primaryAddress: role === 'passive' ? '' : 'h:1' };
    const bytes = toBinary(IdentifyResponseSchema, infoToWire(info));
    t.deepEqual(infoFromWire(fromBinary(IdentifyResponseSchema, bytes)), { kind: 'ok', value: info });
  }
});

test('states that are not known are refused', (t) => {
  t.like(statusFromWire(create(StatusResponseSchema, { state: 'toString' })), { kind: 'invalid', field: 'state' });
  t.like(statusFromWire(create(StatusResponseSchema, { state: 'running', workers: [{ workerId: 'w', state: 'gone' }] })), {
    kind: 'invalid',
    field: 'state',
  });
  t.like(infoFromWire(create(IdentifyResponseSchema, {})), { kind: 'invalid', field: 'role' });
});

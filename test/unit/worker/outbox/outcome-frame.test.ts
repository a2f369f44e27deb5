import test from 'ava';
import fc from 'fast-check';
import type { Outcome } from '../../../../runtime/model/session.ts';
import { decodeFrame, encodeFrames } from '../../../../runtime/results/log/segment.ts';
import { fromFrame, toFrames } from '../../../../runtime/worker/outbox/outcome-frame.ts';

const NUMBER = 3;

const u32 = fc.nat({ max: 2 ** 32 - 2 });
const anyOutcome: fc.Arbitrary<Outcome> = fc.record({
  index: u32,
  attempt: u32,
  claimEpoch: u32,
  kind: fc.constantFrom('result' as const, 'error' as const),
  line: fc.uint8Array({ maxLength: 300 }),
  httpStatus: fc.nat({ max: 999 }),
  code: fc.string({ unit: 'grapheme', maxLength: 100 }),
  isRetryable: fc.boolean(),
  isProbe: fc.boolean(),
  delayMs: u32,
});

test('L34: any outcomes are read as they were written, with what was on disk before them', (t) => {
  fc.assert(
    fc.property(fc.array(anyOutcome), u32, u32, (outcomes, batchAt, before) => {
      const bytes = encodeFrames(NUMBER, toFrames(outcomes, { batchAt, before }));
      const read: Outcome[] = [];
      for (let at = 0; at < bytes.length; ) {
        const decoded = decodeFrame(bytes, at, NUMBER);
        if (decoded.kind !== 'frame') throw new Error(decoded.kind);
        const stored = fromFrame(decoded.frame);
        t.deepEqual([stored.batchAt, stored.before], [batchAt, before]);
        read.push({ ...stored.outcome, line: Uint8Array.from(stored.outcome.line) });
        at += decoded.bytes;
      }
      t.deepEqual(read, outcomes);
    }),
  );
});

test('a frame of the result log is not taken for one of the outbox', (t) => {
  const line = Buffer.from('{"a line":"longer than a detail, and none"}');
  t.throws(() => fromFrame({ index: 1, attempt: 1, kind: 'result', line: line.subarray(0, 10) }));
  t.throws(() => fromFrame({ index: 1, attempt: 1, kind: 'result', line }));
});

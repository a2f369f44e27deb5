import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { packCommit } from '../../../../runtime/ledger/redis/packed-commit.ts';
import { back, row } from '../../../support/ledger-start.ts';

const NONE = { settles: [], handBacks: [], claims: [] };

test('a commit is three blobs and the names that they speak of', (t) => {
  const { args, segments } = packCommit({
    settles: [{ index: 0, row: row('w1'), isResult: true }],
    handBacks: [back(1, row('w2'), 'crashed', 7, 2)],
    claims: [
      {
        worker: 'w1',
        picks: [
          { cursor: 5, count: 6 },
          { index: 3, lastAttempt: 2 },
        ],
      },
    ],
  });
  t.is(segments.length, 1);
  const [settles, handBacks, claims, ...names] = args;
  t.deepEqual(names, ['w1', 'w2']);
  t.deepEqual(
    [settles, handBacks, claims].map((blob) => (blob as Buffer).length),
    [27, 23, 22],
  );
  const handBack = handBacks as Buffer;
  t.deepEqual([handBack.readUInt8(14), handBack.readUInt32LE(15), handBack.readUInt32LE(19)], [3, 7, 2]);
  t.deepEqual([(claims as Buffer).readUInt8(4), (claims as Buffer).readUInt32LE(5), (claims as Buffer).readUInt8(13)], [0, 5, 1]);
});

test('what no ledger can do is found before anything is sent', (t) => {
  for (const bad of [
    { ...NONE, handBacks: [back(1, row('w1'), 'throttled', -1)] },
    { ...NONE, claims: [{ worker: 'w1', picks: [{ cursor: 2 ** 32 - 1, count: 1 }] }] },
    { ...NONE, claims: [{ worker: 'w1', picks: [{ index: -1, lastAttempt: 1 }] }] },
    { ...NONE, settles: [{ index: 1.5, row: row('w1'), isResult: true }] },
  ])
    t.throws(() => packCommit(bad), { instanceOf: AssertionFailed });
});

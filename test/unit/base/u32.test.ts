import test from 'ava';
import { isU32, MAX_U32 } from '../../../runtime/base/u32.ts';

test('L9: whole numbers of 32 bits are taken, and nothing beside', (t) => {
  t.deepEqual([0, 1, MAX_U32].filter(isU32), [0, 1, MAX_U32]);
  t.deepEqual([-1, 0.5, MAX_U32 + 1, Number.NaN, Number.POSITIVE_INFINITY].filter(isU32), []);
});

import test from 'ava';
import { wholeMs } from '../../../../runtime/rpc/mapping/whole-ms.ts';

test('measured times are rounded into whole milliseconds of 32 bits', (t) => {
  t.deepEqual([0.4, 0.6, -3, 1e12].map(wholeMs), [0, 1, 0, 0xffff_ffff]);
});

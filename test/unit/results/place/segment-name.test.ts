import test from 'ava';
import { segmentName, segmentPath } from '../../../../runtime/results/place/segment-name.ts';

test('names of segments sort by epoch, and a person is told where one is', (t) => {
  t.deepEqual([10, 9, 4_294_967_295].map(segmentName).toSorted(), ['0000000009.seg', '0000000010.seg', '4294967295.seg']);
  t.is(segmentPath({ name: '/mnt/run/segments' }, 7), '/mnt/run/segments/0000000007.seg');
});

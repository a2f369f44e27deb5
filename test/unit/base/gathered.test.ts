import test from 'ava';
import { Gathered } from '../../../runtime/base/gathered.ts';

test('what comes up in one turn is handed over once, in order; what comes later, apart', async (t) => {
  const handedOver: (readonly number[])[] = [];
  const gathered = new Gathered<number>((values) => handedOver.push(values));
  await Promise.all([1, 2, 3].map(async (value) => gathered.add(value)));
  t.deepEqual(handedOver, [[1, 2, 3]]);
  gathered.add(4);
  t.is(handedOver.length, 1, 'not before the turn is over');
  await Promise.resolve();
  t.deepEqual(handedOver, [[1, 2, 3], [4]]);
});

test('what is added while it hands over comes with the next', async (t) => {
  const handedOver: (readonly number[])[] = [];
  const gathered = new Gathered<number>((values) => {
    handedOver.push(values);
    if (values.length === 2) gathered.add(9);
  });
  gathered.add(1);
  gathered.add(2);
  await Promise.resolve();
  await Promise.resolve();
  t.deepEqual(handedOver, [[1, 2], [9]]);
});

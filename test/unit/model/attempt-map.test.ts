import test from 'ava';
import { AttemptMap, type OfAttempt } from '../../../runtime/model/attempt-map.ts';

interface One extends OfAttempt<One> {
  readonly ref: { readonly index: number; readonly attempt: number };
}

function one(index: number, attempt = 1): One {
  return { ref: { index, attempt }, sibling: null };
}

function keys(map: AttemptMap<One>): string[] {
  return [...map].map(({ ref }) => `${ref.index}/${ref.attempt}`).sort();
}

test('each attempt of an item is found for itself, and so are all of them', (t) => {
  const map = new AttemptMap<One>();
  const all = [one(7), one(7, 3), one(7, 2), one(8)];
  for (const each of all) map.add(each);
  for (const each of all) t.is(map.get({ ...each.ref }), each);
  t.is(map.get({ index: 7, attempt: 4 }), undefined);
  t.is(map.get({ index: 9, attempt: 1 }), undefined);
  t.deepEqual(
    map
      .ofItem(7)
      .map(({ ref }) => ref.attempt)
      .sort((a, b) => a - b),
    [1, 2, 3],
  );
  t.deepEqual(map.ofItem(9), []);
  t.deepEqual([map.hasItem(8), map.hasItem(9), map.size], [true, false, 4]);
});

test('whichever attempt is taken out, the others of its item stay', (t) => {
  for (const gone of [1, 2, 3]) {
    const map = new AttemptMap<One>();
    const all = [one(7, 1), one(7, 2), one(7, 3), one(8)];
    for (const each of all) map.add(each);
    map.delete(all[gone - 1] as One);
    const left = ['7/1', '7/2', '7/3', '8/1'].filter((key) => key !== `7/${gone}`);
    t.deepEqual(keys(map), left);
    t.is(map.size, 3);
    for (const each of [...map]) map.delete(each);
    t.deepEqual([map.size, map.hasItem(7), keys(map)], [0, false, []]);
  }
});

test('what is handed out may be taken out meanwhile', (t) => {
  const map = new AttemptMap<One>();
  for (const each of [one(1), one(1, 2), one(2)]) map.add(each);
  let seen = 0;
  for (const each of map) {
    seen += 1;
    map.delete(each);
  }
  t.deepEqual([seen, map.size], [3, 0]);
});

test('the same attempt is there once, and what was not put in is not taken out', (t) => {
  const map = new AttemptMap<One>();
  map.add(one(1));
  t.throws(() => map.add(one(1)), { message: /one held item/ });
  t.throws(() => map.delete(one(1, 2)), { message: /was put in/ });
  t.throws(() => map.delete(one(2)), { message: /was put in/ });
});

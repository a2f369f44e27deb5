import test from 'ava';
import { type Linked, LinkedList } from '../../../runtime/base/linked-list.ts';

interface Thing extends Linked<Thing> {
  readonly name: string;
}

function things(names: string): Thing[] {
  return names.split('').map((name) => ({ name, list: null, before: null, after: null }));
}

function names(list: LinkedList<Thing>): string {
  return [...list].map(({ name }) => name).join('');
}

function listOf(all: readonly Thing[]): LinkedList<Thing> {
  const list = new LinkedList<Thing>();
  for (const thing of all) list.add(thing);
  return list;
}

test('things stand in the order in which they were added, and each can be taken out', (t) => {
  for (const [gone, left] of [
    ['a', 'bcd'],
    ['b', 'acd'],
    ['d', 'abc'],
    ['ad', 'bc'],
    ['bc', 'ad'],
    ['dcba', ''],
  ] as const) {
    const all = things('abcd');
    const list = listOf(all);
    for (const name of gone) list.delete(all['abcd'.indexOf(name)] as Thing);
    t.is(names(list), left);
    t.is(list.size, left.length);
    t.is(list.first?.name, left[0]);
    for (const name of gone) list.add(all['abcd'.indexOf(name)] as Thing);
    t.is(names(list), left + gone, 'added again');
  }
});

test('a thing is in one list: another one takes it from the first, and the same one leaves it where it is', (t) => {
  const [a, b, c] = things('abc') as [Thing, Thing, Thing];
  const [one, other] = [listOf([a, b, c]), new LinkedList<Thing>()];
  one.add(a);
  other.add(b);
  t.deepEqual([names(one), names(other)], ['ac', 'b']);
  t.deepEqual([one.has(b), other.has(b), one.has(a)], [false, true, true]);
  one.delete(b);
  t.is(names(other), 'b', 'only its own list takes it out');
});

test('what is handed out may leave while the list is gone through', (t) => {
  const list = listOf(things('abc'));
  const other = new LinkedList<Thing>();
  for (const thing of list) other.add(thing);
  t.deepEqual([names(list), names(other)], ['', 'abc']);
});

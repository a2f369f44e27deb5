import test from 'ava';
import fc from 'fast-check';
import { ListSplitter, MAX_OBJECT_BYTES } from '../../../../operator/kube/list-splitter.ts';

function split(text: string, chunkBytes: number): { readonly objects: readonly unknown[]; readonly rest: unknown } {
  const splitter = new ListSplitter();
  const bytes = Buffer.from(text);
  const objects: unknown[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    for (const one of splitter.push(bytes.subarray(at, at + chunkBytes))) objects.push(JSON.parse(one));
  }
  return { objects, rest: JSON.parse(splitter.end()) };
}

const LIST = {
  kind: 'PodList',
  metadata: { resourceVersion: '7', note: 'items: [{' },
  items: [
    { metadata: { name: 'a', labels: { items: '[1]' } }, items: [{ x: ['}', '"', '\\', '\\"'] }] },
    {},
    { 'é"': ['ü', { '\\': '{' }] },
  ],
  extra: { items: [{ no: 1 }] },
};

test('objects come out as they went in, wherever the chunks are cut', (t) => {
  for (const text of [JSON.stringify(LIST), JSON.stringify(LIST, null, 2)]) {
    for (let bytes = 1; bytes < 40; bytes += 1) {
      const { objects, rest } = split(text, bytes);
      t.deepEqual(objects, LIST.items);
      t.deepEqual(rest, { ...LIST, items: [] });
    }
  }
});

test('any JSON in the place of objects comes out as it went in', (t) => {
  const list = fc.record({ items: fc.array(fc.dictionary(fc.string(), fc.jsonValue())), metadata: fc.jsonValue(), a: fc.jsonValue() });
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 64 }), (value, bytes) => {
      const normal = JSON.parse(JSON.stringify(value)) as typeof value;
      const { objects, rest } = split(JSON.stringify(value), bytes);
      t.deepEqual(objects, normal.items);
      t.deepEqual(rest, { ...normal, items: [] });
    }),
    { numRuns: 300 },
  );
});

test('a list without objects is a list', (t) => {
  t.deepEqual(split('{"items":[],"metadata":{}}', 5).objects, []);
  t.deepEqual(split('{"items":null,"metadata":{}}', 5).objects, []);
  t.deepEqual(split('{"metadata":{}}', 5), { objects: [], rest: { metadata: {} } });
});

test('a list that breaks off is none', (t) => {
  const text = JSON.stringify(LIST);
  for (let length = 0; length < text.length; length += 1)
    t.throws(() => split(text.slice(0, length), 16), undefined, text.slice(0, length));
});

test('an object has a limit, and the list may have more than it', (t) => {
  const splitter = new ListSplitter();
  splitter.push(Buffer.from('{"items":['));
  const chunk = Buffer.from(`{"a":"${'x'.repeat(2 ** 20)}"},`);
  let objects = 0;
  for (let bytes = 0; bytes <= MAX_OBJECT_BYTES * 2; bytes += chunk.length) objects += splitter.push(chunk).length;
  t.true(objects > 60);
  splitter.push(Buffer.from('{"a":"'));
  const filling = Buffer.alloc(2 ** 20, 'x');
  t.throws(
    () => {
      for (let bytes = 0; bytes <= MAX_OBJECT_BYTES; bytes += filling.length) splitter.push(filling);
    },
    { message: /has more than/ },
  );
});

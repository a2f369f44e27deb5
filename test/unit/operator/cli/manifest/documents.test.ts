import test from 'ava';
import { documentsIn } from '../../../../../operator/cli/manifest/documents.ts';

const TEXT = `# a comment
kind: ConfigMap
metadata:
  name: a
---
kind: RolloutRun
spec:
  workers:
    template: &model
      spec:
        containers:
          - name: one
          - name: two
            image: b
---
`;

test('each document of a file has its lines', (t) => {
  const { manifests, mistakes } = documentsIn(TEXT);
  t.deepEqual(mistakes, []);
  t.deepEqual(
    manifests.map(({ value }) => value['kind']),
    ['ConfigMap', 'RolloutRun'],
  );
  const [config, run] = manifests;
  t.is(config?.lineOf(['metadata', 'name']), 4);
  t.is(run?.lineOf([]), 6);
  t.is(run?.lineOf(['spec', 'workers', 'template', 'spec', 'containers', 1, 'image']), 14);
  t.is(run?.lineOf(['spec', 'workers', 'template', 'spec', 'containers', 1]), 13);
});

test('what is missing stands where the block around it does', (t) => {
  const run = documentsIn(TEXT).manifests[1];
  t.is(run?.lineOf(['spec', 'workers', 'parallelism']), 8);
  t.is(run?.lineOf(['spec', 'input']), 7);
  t.is(run?.lineOf(['metadata', 'name']), 6);
});

test('a field within an alias stands where it is written', (t) => {
  const [one] = documentsIn('a: &x\n  b: 1\nc: *x\n').manifests;
  t.deepEqual(one?.value['c'], { b: 1 });
  t.is(one?.lineOf(['c', 'b']), 2);
});

test('keys that are merged are there', (t) => {
  t.deepEqual(documentsIn('a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n').manifests[0]?.value['c'], { b: 1, d: 2 });
});

test('JSON is YAML too', (t) => {
  const [one] = documentsIn('{\n  "kind": "RolloutRun",\n  "spec": {"workers": {}}\n}').manifests;
  t.is(one?.lineOf(['spec', 'workers']), 3);
});

test('mistakes of YAML itself are told with their line, and a key that stands twice is one', (t) => {
  t.deepEqual(
    documentsIn('a: 1\na: 2\n').mistakes.map(({ line }) => line),
    [2],
  );
  const { manifests, mistakes } = documentsIn('a: 1\n---\nb: [1\n');
  t.is(manifests.length, 1);
  t.true(mistakes.length > 0 && mistakes.every(({ line }) => line >= 3));
});

test('a text that is no block, and aliases that grow without an end, are mistakes', (t) => {
  t.deepEqual(documentsIn('just text').mistakes, [{ line: 1, problem: 'is no manifest: it must be a block of fields' }]);
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`),
  ].join('\n');
  t.is(documentsIn(bomb).mistakes.length, 1);
});

test('empty documents are left out', (t) => {
  t.deepEqual(documentsIn(''), { manifests: [], mistakes: [] });
  t.deepEqual(documentsIn('---\n---\n# nothing\n'), { manifests: [], mistakes: [] });
});

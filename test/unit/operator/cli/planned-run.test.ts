import test from 'ava';
import type { Block } from '../../../../operator/cli/manifest/block.ts';
import { listConfigMap, plannedRun } from '../../../../operator/cli/planned-run.ts';
import type { CreateArguments } from '../../../../operator/cli/verb-arguments.ts';

const MODEL = { name: 'model', image: 'registry/model:1' };
const TEMPLATE: Block = {
  metadata: {
    name: 'other',
    uid: 'u',
    labels: { team: 'a' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'b' },
  },
  spec: {
    input: { pvc: { claimName: 'data', path: 'a.jsonl' } },
    backend: { model: 'small' },
    workers: { parallelism: 1, template: { spec: { containers: [MODEL], volumes: [] } } },
  },
  status: { phase: 'Complete' },
};

function plan(template: Block | null, hasList: boolean, args: Partial<CreateArguments>): Block {
  return plannedRun('answers', 'team', template, hasList, { json: false, ...args });
}

test('a run of a list and an image', (t) => {
  t.deepEqual(plan(null, true, { modelImage: 'registry/model:1', parallelism: 4, concurrency: 8 }), {
    apiVersion: 'rollout.run/v1alpha1',
    kind: 'RolloutRun',
    metadata: { name: 'answers', namespace: 'team' },
    spec: {
      input: { configMap: { name: 'answers-items', key: 'items.jsonl' } },
      workers: { parallelism: 4, concurrency: 8, template: { spec: { containers: [MODEL] } } },
    },
  });
});

test('a run of another one has its spec, with the list and what the arguments say in the place of what was there', (t) => {
  t.deepEqual(plan(TEMPLATE, true, { parallelism: 3, modelImage: 'registry/model:2' }), {
    apiVersion: 'rollout.run/v1alpha1',
    kind: 'RolloutRun',
    metadata: { name: 'answers', namespace: 'team', labels: { team: 'a' }, annotations: { note: 'b' } },
    spec: {
      input: { configMap: { name: 'answers-items', key: 'items.jsonl' } },
      backend: { model: 'small' },
      workers: { parallelism: 3, template: { spec: { containers: [{ name: 'model', image: 'registry/model:2' }], volumes: [] } } },
    },
  });
});

test('without a list of its own it has the input of the other one', (t) => {
  t.like(plan(TEMPLATE, false, {}), { spec: { input: { pvc: { claimName: 'data', path: 'a.jsonl' } } } });
});

test('without a namespace it has none', (t) => {
  t.deepEqual(plannedRun('answers', null, TEMPLATE, false, { json: false })['metadata'], {
    name: 'answers',
    labels: { team: 'a' },
    annotations: { note: 'b' },
  });
});

test('the image is that of the container `model` among several', (t) => {
  const spec = {
    workers: {
      template: {
        spec: {
          containers: [
            { name: 'proxy', image: 'p' },
            { name: 'model', image: 'm' },
          ],
        },
      },
    },
  };
  t.deepEqual(plan({ spec }, true, { modelImage: 'x' })['spec'], {
    input: { configMap: { name: 'answers-items', key: 'items.jsonl' } },
    workers: {
      template: {
        spec: {
          containers: [
            { name: 'proxy', image: 'p' },
            { name: 'model', image: 'x' },
          ],
        },
      },
    },
  });
  const others = { workers: { template: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } } };
  t.throws(() => plan({ spec: others }, true, { modelImage: 'x' }), {
    message: /for the container `model` or an only one, and there are a, b/,
  });
});

test('a run without a list or without a model server is refused, with the ways there are', (t) => {
  t.throws(() => plan(null, false, { modelImage: 'x' }), { message: /^which list\? Give the file of its lines with -f$/ });
  t.throws(() => plan({ spec: {} }, false, { modelImage: 'x' }), { message: /or name it in spec\.input of the file/ });
  t.throws(() => plan(null, true, {}), { message: /^which model server\? Give its image with --model-image/ });
  for (const backend of [{ type: 'mock' }, { baseUrl: 'http://a' }]) t.notThrows(() => plan({ spec: { backend } }, true, {}));
});

test('a list is text where it may be, and base64 where it is packed', (t) => {
  t.like(listConfigMap('answers', 'team', { text: '{}\n' }), {
    metadata: { name: 'answers-items', namespace: 'team' },
    data: { 'items.jsonl': '{}\n' },
  });
  t.like(listConfigMap('answers', null, { packed: Buffer.from('ab') }), {
    metadata: { name: 'answers-items' },
    binaryData: { 'items.jsonl': 'YWI=' },
  });
});

import test from 'ava';
import type { Schema } from '../../../../../operator/api/schema.ts';
import { fieldName, mistakeText, schemaMistakes } from '../../../../../operator/cli/manifest/schema-check.ts';

const SCHEMA: Schema = {
  type: 'object',
  required: ['workers'],
  properties: {
    workers: { type: 'object', properties: { parallelism: { type: 'integer' } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
    containers: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
};

const said = (value: unknown): readonly string[] => schemaMistakes(SCHEMA, value).map(mistakeText);

test('a value as the schema wants it has no mistake', (t) => {
  t.deepEqual(said({ workers: {}, labels: { a: 'b' }, open: { a: 'x', other: 5 }, containers: [{ name: 'a' }, { name: 'b' }] }), []);
});

test('all mistakes are told at once, each with its field', (t) => {
  t.deepEqual(said({ worker: {}, workers: { parallelism: 'two' }, labels: { a: 1 } }), [
    '`worker` is not known: did you mean `workers`?',
    '`workers.parallelism` must be a whole number, but is "two"',
    '`labels.a` must be a text, but is 1: put it in quotes',
  ]);
});

test('a field that is missing, and one that is like no other', (t) => {
  t.deepEqual(said({ zzzzzzzzzz: 1 }), [
    '`workers` is missing: give it a block of fields',
    '`zzzzzzzzzz` is not known: remove it; known here are workers, labels, open, containers',
  ]);
});

test('what a block keeps beside its known fields is not checked, and the known ones are', (t) => {
  t.deepEqual(said({ workers: {}, open: { other: {}, a: 5 } }), ['`open.a` must be a text, but is 5: put it in quotes']);
});

test('a name of what all objects have is a field as any other', (t) => {
  t.regex(said({ workers: {}, constructor: {} }).join(), /`constructor` is not known/);
});

test('items of a list are told apart by their keys', (t) => {
  t.deepEqual(said({ workers: {}, containers: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }), [
    '`containers[2]` has the same name as item 1 of the list: rename or remove one',
  ]);
  t.deepEqual(said({ workers: {}, containers: [{}] }), ['`containers[0].name` is missing: give it a text']);
});

test('a value of the wrong type is told once, and nothing of what is below it', (t) => {
  t.deepEqual(said('text'), ['must be a block of fields, but is "text"']);
});

test('a rule names its field below the schema, and its message stands as it is', (t) => {
  const rule = { rule: '!(has(self.port) && has(self.baseUrl))', message: 'spec.backend.port and spec.backend.baseUrl exclude each other' };
  const broken = schemaMistakes({ 'x-kubernetes-validations': [{ ...rule, fieldPath: '.port' }] }, { port: 1, baseUrl: 'a' }, [
    'spec',
    'backend',
  ]);
  t.deepEqual(broken, [{ path: ['spec', 'backend', 'port'], problem: rule.message }]);
  t.is(mistakeText({ path: ['spec', 'backend', 'port'], problem: rule.message }), rule.message);
});

test('a field is named as kubectl names it', (t) => {
  t.is(fieldName(['spec', 'containers', 0, 'name']), 'spec.containers[0].name');
});

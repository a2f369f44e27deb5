import test from 'ava';
import { namesIn, type Schema, typescriptOf } from '../../../scripts/crd-typescript.ts';

const SCHEMA: Schema = {
  type: 'object',
  description: 'A thing.',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'Its name.' },
    count: { type: 'integer', default: 1 },
    most: { 'x-kubernetes-int-or-string': true },
    mode: { type: 'string', enum: ['on', 'off'] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    any: { type: 'object' },
    pod: { type: 'object', properties: { spec: { type: 'object' } } },
    modes: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    parts: { type: 'array', items: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } } },
  },
};

test('a schema becomes one interface for each object: what is required or has a default is always there', (t) => {
  t.is(
    typescriptOf('Thing', SCHEMA, { ThingPod: 'V1Pod' }),
    `/** A thing. */
export interface Thing {
  /** Its name. */
  readonly name: string;
  readonly count: number;
  readonly most?: number | string;
  readonly mode?: 'on' | 'off';
  readonly labels?: Readonly<Record<string, string>>;
  readonly any?: Readonly<Record<string, unknown>>;
  readonly pod?: V1Pod;
  readonly modes?: readonly ('a' | 'b')[];
  readonly parts?: readonly ThingPartsItem[];
}

export interface ThingPartsItem {
  readonly on: boolean;
}
`,
  );
});

test('a type that is not known is refused, by the name of its place', (t) => {
  const odd: Schema = { type: 'object', properties: { when: { type: 'date' } } };
  t.throws(() => typescriptOf('Thing', odd, {}), { message: /ThingWhen .* date/ });
});

test('a description cannot end its comment', (t) => {
  t.false(typescriptOf('Thing', { type: 'object', description: 'all of */ it' }, {}).includes('of */'));
});

test('the names of all places are known, those of items too', (t) => {
  t.deepEqual(
    ['Thing', 'ThingPodSpec', 'ThingPartsItemOn'].filter((name) => !namesIn('Thing', SCHEMA).includes(name)),
    [],
  );
});

import { Ajv } from 'ajv';
import test from 'ava';
import { parse } from 'yaml';
import { readSources, readText } from '../../style/sources.ts';

interface ValuesSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, ValuesSchema>>;
  readonly additionalProperties?: unknown;
  readonly definitions?: Readonly<Record<string, ValuesSchema>>;
}

const CHART = 'charts/rollout';
const text = readText(`${CHART}/values.yaml`) ?? '';
const values = parse(text) as Readonly<Record<string, unknown>>;
const schema = JSON.parse(readText(`${CHART}/values.schema.json`) ?? '') as ValuesSchema;
const areValues = new Ajv({ strict: false, allErrors: true }).compile(schema);

/** Each object of values whose names the schema lists, with its path. */
function* objectsOf(one: ValuesSchema, path: readonly string[] = []): Generator<readonly [path: readonly string[], schema: ValuesSchema]> {
  const resolved = one.$ref === undefined ? one : (schema.definitions?.[one.$ref.split('/').at(-1) ?? ''] ?? {});
  if (resolved.properties === undefined) return;
  yield [path, resolved];
  for (const [name, below] of Object.entries(resolved.properties)) yield* objectsOf(below, [...path, name]);
}

function valueAt(path: readonly string[]): Readonly<Record<string, unknown>> {
  return path.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], values) as Readonly<Record<string, unknown>>;
}

/** The values with one more at a path. */
function withValue(path: readonly string[], name: string): unknown {
  const copy = structuredClone(values);
  const at = path.reduce<unknown>((one, key) => (one as Readonly<Record<string, unknown>>)[key], copy) as Record<string, unknown>;
  at[name] = {};
  return copy;
}

test('the values of the chart are those that its schema knows, and all of them', (t) => {
  t.true(areValues(values), JSON.stringify(areValues.errors));
  for (const [path, one] of objectsOf(schema)) {
    t.deepEqual(Object.keys(valueAt(path)).toSorted(), Object.keys(one.properties ?? {}).toSorted(), path.join('.'));
  }
});

test('a name that is not known is refused wherever the schema lists the names', (t) => {
  const objects = [...objectsOf(schema)].filter(([path]) => path[0] !== 'global');
  t.true(objects.length >= 15);
  for (const [path] of objects) t.false(areValues(withValue(path, 'typo')), path.join('.'));
});

test('an umbrella chart may have globals of its own', (t) => {
  t.true(areValues(withValue(['global'], 'storageClass')));
});

test('values are explained: no block without a comment', (t) => {
  const blocks = text.split('\n\n').filter((block) => /^\w+:/m.test(block));
  t.true(blocks.length >= 20);
  t.deepEqual(
    blocks.filter((block) => !/^ *#/m.test(block)),
    [],
  );
});

test('one object per template file', (t) => {
  const templates = readSources(`${CHART}/templates`, (path) => path.endsWith('.yaml'));
  t.true(templates.length >= 25);
  for (const { path, text: template } of templates) {
    const isOne = path.endsWith('/crd.yaml') || [...template.matchAll(/^kind:/gm)].length === 1;
    t.true(isOne, path);
  }
});

test('the dashboard is JSON, with each panel at a place of its own', (t) => {
  const { panels } = JSON.parse(readText(`${CHART}/files/dashboard.json`) ?? '') as {
    readonly panels: readonly { readonly id: number; readonly gridPos: unknown }[];
  };
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  t.is(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size, panels.length);
});

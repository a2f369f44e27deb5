import { Ajv } from 'ajv';
import test from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { EXITS } from '../../../operator/cli/exits.ts';
import type { Block } from '../../../operator/cli/manifest/block.ts';
import { runMistakes } from '../../../operator/cli/manifest/run-check.ts';
import { mistakeText } from '../../../operator/cli/manifest/schema-check.ts';
import { readText } from '../../style/sources.ts';
import { readCrd, runSchema, schemaAt, validatorOf } from '../../support/run-schema.ts';

/** docs/kubernetes.md: its manifests are taken as they stand, and the names that it gives are there. */

const page = readText('docs/kubernetes.md') ?? '';
const schema = runSchema(readCrd());
const isRun = validatorOf(schema);
const values = parse(readText('charts/rollout/values.yaml') ?? '') as Block;

function blocksOf(kind: string): readonly string[] {
  return [...page.matchAll(/^```([^\n]+)\n(.*?)^```$/gms)].filter(([, info]) => info === kind).map(([, , text = '']) => text);
}

const runs = blocksOf('yaml')
  .flatMap((text) => parseAllDocuments(text))
  .map((document) => document.toJS() as Block)
  .filter(({ kind }) => kind === 'RolloutRun');

test('each manifest is a run that the schema and the rules allow', (t) => {
  t.true(runs.length >= 6, `only ${runs.length} runs were seen`);
  for (const run of runs) {
    const { name } = run['metadata'] as { readonly name: string };
    t.deepEqual(runMistakes(run).map(mistakeText), [], name);
    t.true(isRun(structuredClone(run)), `${name}: ${JSON.stringify(isRun.errors)}`);
  }
});

test('each manifest has a name of its own, so that all of them can be applied', (t) => {
  const names = runs.map(({ metadata }) => (metadata as { readonly name: string }).name);
  t.is(new Set(names).size, names.length, names.join());
});

test('the values that it shows are some that the chart takes', (t) => {
  const areValues = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(readText('charts/rollout/values.schema.json') ?? ''));
  const shown = blocksOf('yaml values');
  t.true(shown.length > 0);
  for (const text of shown) t.true(areValues(parse(text)), JSON.stringify(areValues.errors));
});

test('the values that it names are there', (t) => {
  const tops = Object.keys(values).join('|');
  const named = [
    ...[...page.matchAll(/--set '?([\w.]+)=/g)].map(([, path = '']) => path),
    ...[...page.matchAll(new RegExp(`\`((?:${tops})(?:\\.\\w+)*)(?:=\\w+)?\``, 'g'))].map(([, path = '']) => path),
  ];
  t.true(named.length >= 10, named.join());
  const isThere = (path: string): boolean =>
    path.split('.').reduce<unknown>((at, key) => (at as Block | undefined)?.[key], values) !== undefined;
  t.deepEqual(
    named.filter((path) => !isThere(path)),
    [],
  );
});

test('the fields of spec and status that it names are there', (t) => {
  const named = [...page.matchAll(/\b((?:spec|status)(?:\.[a-z]\w*)+)/g)].map(([, path = '']) => path);
  t.true(named.length >= 20, named.join());
  t.deepEqual(
    named.filter((path) => !isField(path)),
    [],
  );
});

function isField(path: string): boolean {
  try {
    schemaAt(schema, path);
    return true;
  } catch {
    return false;
  }
}

test('the verbs of the command line that it gives are there', (t) => {
  const verbs = [...page.matchAll(/kubectl rollout-run (\w+)/g)].map(([, verb = '']) => verb);
  t.true(verbs.length >= 8);
  t.deepEqual(
    verbs.filter((verb) => !Object.hasOwn(EXITS, verb)),
    [],
  );
});

test('the files of the project that it names are there', (t) => {
  const named = [...page.matchAll(/(?<![\w/])((?:examples|charts)\/[\w./-]+\.yaml)/g)].map(([, path = '']) => path);
  t.true(named.length >= 4);
  t.deepEqual(
    named.filter((path) => readText(path) === undefined),
    [],
  );
});

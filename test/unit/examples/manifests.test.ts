import { readdirSync } from 'node:fs';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { readText } from '../../style/sources.ts';
import { readCrd, runSchema, schemasIn, validatorOf } from '../../support/run-schema.ts';

const FOLDER = 'examples';
const FULL = 'examples/rolloutrun-full.yaml';
const schema = runSchema(readCrd());
const isRun = validatorOf(schema);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

function manifestsOf(path: string): readonly Manifest[] {
  return parseAllDocuments(readText(path) ?? '').map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`);
    return document.toJS() as Manifest;
  });
}

const paths = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `${FOLDER}/${name}`);

test('each example has one run, which the schema allows', (t) => {
  t.true(paths.length >= 6);
  for (const path of paths) {
    const runs = manifestsOf(path).filter(({ kind }) => kind === 'RolloutRun');
    t.is(runs.length, 1, path);
    t.true(isRun(structuredClone(runs[0])), `${path}: ${JSON.stringify(isRun.errors)}`);
  }
});

test('the schema refuses a name that it does not know', (t) => {
  t.false(isRun({ metadata: { name: 'a' }, spec: { input: { configMap: { name: 'a' } }, worker: {} } }));
  t.regex(JSON.stringify(isRun.errors), /"additionalProperty":"worker"/);
});

test('the full example has every field of the spec, those that exclude each other in comments', (t) => {
  const keys = new Set([...(readText(FULL) ?? '').matchAll(/^[-# ]*([A-Za-z0-9]+):/gm)].map(([, key]) => key));
  const fields = [...schemasIn(schema)].map(([path]) => path).filter((path) => path.startsWith('spec.') && !/[[{]/.test(path));
  t.deepEqual(
    fields.filter((path) => !keys.has(path.split('.').at(-1) ?? '')),
    [],
  );
});

test('the smallest example has five lines of spec and a list of ten items', (t) => {
  const text = readText('examples/rolloutrun.yaml') ?? '';
  t.is(
    text
      .slice(text.indexOf('\nspec:\n') + '\nspec:\n'.length)
      .trimEnd()
      .split('\n').length,
    5,
  );
  const [list] = manifestsOf('examples/rolloutrun.yaml');
  const items = (list?.data?.['items.jsonl'] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly custom_id: string });
  t.is(new Set(items.map(({ custom_id }) => custom_id)).size, 10);
});

test('what is left out is filled in', (t) => {
  const run = { metadata: { name: 'a' }, spec: { input: { configMap: { name: 'prompts' } } } };
  t.true(isRun(run));
  t.deepEqual(run.spec as unknown, {
    input: { configMap: { name: 'prompts', key: 'items.jsonl' } },
    format: { raw: false, onInvalid: 'record', order: 'input' },
    backend: { type: 'openai', requestTimeoutSeconds: 600 },
    workers: { parallelism: 1, concurrency: 64, updateStrategy: 'RollingUpdate' },
    coordinator: { replicas: 1, store: { embedded: { storage: '1Gi' } } },
    certificates: { mode: 'selfSigned' },
    retry: { maxAttempts: 5 },
    suspend: false,
  });
});

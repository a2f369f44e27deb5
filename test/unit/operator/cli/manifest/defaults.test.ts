import test from 'ava';
import { RUN_SCHEMA } from '../../../../../operator/api/schema.gen.ts';
import { withDefaults } from '../../../../../operator/cli/manifest/defaults.ts';

test('what is left out of a run is filled in as the API server does', (t) => {
  const run = { metadata: { name: 'a' }, spec: { input: { configMap: { name: 'prompts' } } } };
  t.deepEqual(withDefaults(RUN_SCHEMA, run), {
    metadata: { name: 'a' },
    spec: {
      input: { configMap: { name: 'prompts', key: 'items.jsonl' } },
      format: { raw: false, onInvalid: 'record', order: 'input' },
      backend: { type: 'openai', requestTimeoutSeconds: 600 },
      workers: { parallelism: 1, concurrency: 64, updateStrategy: 'RollingUpdate' },
      coordinator: { replicas: 1, store: { embedded: { storage: '1Gi' } } },
      certificates: { mode: 'selfSigned' },
      retry: { maxAttempts: 5 },
      suspend: false,
    },
  });
  t.deepEqual(run, { metadata: { name: 'a' }, spec: { input: { configMap: { name: 'prompts' } } } });
});

test('what is null and has a default is filled in; what is of another type stays', (t) => {
  const schema = { type: 'object', properties: { a: { type: 'integer', default: 1 }, b: { type: 'object', properties: {} } } } as const;
  t.deepEqual(withDefaults(schema, { a: null, b: 'text' }), { a: 1, b: 'text' });
  t.is(withDefaults(schema, 'text'), 'text');
});

test('defaults are filled in within lists and maps too', (t) => {
  const item = { type: 'object', properties: { kind: { type: 'string', default: 'usual' } } } as const;
  t.deepEqual(withDefaults({ type: 'array', items: item }, [{}, { kind: 'own' }]), [{ kind: 'usual' }, { kind: 'own' }]);
  t.deepEqual(withDefaults({ type: 'object', additionalProperties: item }, { a: {} }), { a: { kind: 'usual' } });
});

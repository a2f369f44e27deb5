/** A run that is refused when it is created, and what the API server says of it. */
interface RefusedRun {
  readonly what: string;
  readonly name?: string;
  /** What is different from NEW_SPEC; null takes a field away. */
  readonly change: object;
  readonly says: RegExp;
}

/** A run that all rules allow. No operator works on it. */
export const NEW_SPEC: object = {
  input: { configMap: { name: 'prompts' } },
  output: { pvc: { claimName: 'data', path: 'answers.jsonl' } },
  backend: { type: 'mock', model: 'small' },
  workers: { parallelism: 1 },
  managedBy: 'example.com/nobody',
};

/** As a JSON merge patch changes it. */
export function changed(before: unknown, change: unknown): object {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change as object;
  const after: Record<string, unknown> = { ...(before as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete after[key];
    else after[key] = changed(after[key], value);
  }
  return after;
}

const REDIS = { coordinator: { store: { redis: { url: 'redis://redis:6379' } } } };
const withContainer = (container: object): object => ({ workers: { template: { spec: { containers: [container] } } } });

export const NEW_RUNS: readonly RefusedRun[] = [
  { what: 'a name of 41 characters', name: 'a'.repeat(41), change: {}, says: /metadata\.name is too long: use at most 40/ },
  { what: 'a name with a dot', name: 'a.b', change: {}, says: /metadata\.name must begin with a lower-case letter/ },
  { what: 'a name that begins with a digit', name: '1a', change: {}, says: /metadata\.name must begin with a lower-case letter/ },
  { what: 'no input', change: { input: null }, says: /spec\.input: Required/ },
  { what: 'an input without a source', change: { input: { configMap: null } }, says: /spec\.input must name exactly one source/ },
  { what: 'two sources', change: { input: { pvc: { claimName: 'a', path: 'b' } } }, says: /spec\.input must name exactly one source/ },
  {
    what: 'a path from the root',
    change: { input: { configMap: null, pvc: { claimName: 'a', path: '/b' } } },
    says: /spec\.input\.pvc\.path: .*must be a path below the root|must be a path below the root/,
  },
  { what: 'a path upwards', change: { output: { pvc: { claimName: 'a', path: 'b/../../c' } } }, says: /must be a path below the root/ },
  { what: 'no HTTP', change: uri({ url: 'ftp://example.com/a' }), says: /must be an HTTP address/ },
  { what: 'a password in the address', change: uri({ url: 'https://u:p@example.com/a' }), says: /must not contain a user.*before the @/ },
  { what: 'no digest', change: uri({ sha256: null }), says: /sha256: Required/ },
  { what: 'half a digest', change: uri({ sha256: 'abc' }), says: /must be 64 lower-case hexadecimal digits/ },
  {
    what: 'a port and an address',
    change: backend({ port: 1, baseUrl: 'http://a' }),
    says: /spec\.backend\.port and .* exclude each other/,
  },
  { what: 'a port that there is not', change: backend({ port: 65_536 }), says: /spec\.backend\.port/ },
  { what: 'a backend that there is not', change: backend({ type: 'other' }), says: /Unsupported value: "other"/ },
  { what: 'an address without HTTP', change: backend({ baseUrl: 'models:8000' }), says: /must be an HTTP address/ },
  { what: 'a password for the server', change: backend({ baseUrl: 'http://u:p@a' }), says: /must not contain a user.*use apiKeySecretRef/ },
  { what: 'no model server', change: backend({ type: 'openai' }), says: /spec\.workers\.template must have at least one container/ },
  {
    what: 'a template without containers',
    change: { ...backend({ type: 'openai' }), workers: { template: { spec: { containers: [] } } } },
    says: /spec\.workers\.template must have at least one container/,
  },
  { what: 'the name of the worker', change: withContainer({ name: 'worker' }), says: /the operator adds a container "worker"/ },
  { what: 'a container without a name', change: withContainer({ image: 'a' }), says: /name: Required/ },
  {
    what: 'a volume of the operator',
    change: { workers: { template: { spec: { volumes: [{ name: 'rollout-tls' }] } } } },
    says: /the operator adds a container "worker"/,
  },
  { what: 'fewer workers than none', change: { workers: { parallelism: -1 } }, says: /parallelism.*greater than or equal to 0/ },
  { what: 'too many workers', change: { workers: { parallelism: 10_001 } }, says: /parallelism.*less than or equal to 10000/ },
  { what: 'no concurrency', change: { workers: { concurrency: 0 } }, says: /concurrency.*greater than or equal to 1/ },
  { what: 'too much concurrency', change: { workers: { concurrency: 4_097 } }, says: /concurrency.*less than or equal to 4096/ },
  { what: 'a share above all', change: { workers: { maxMissing: '101%' } }, says: /share of all workers from "0%" to "100%"/ },
  { what: 'fewer failures than none', change: { maxFailedItems: -1 }, says: /share of all items from "0%" to "100%"/ },
  { what: 'failures in words', change: { maxFailedItems: 'few' }, says: /share of all items from "0%" to "100%"/ },
  {
    what: 'a second embedded one',
    change: { coordinator: { replicas: 2 } },
    says: /spec\.coordinator\.replicas must be 1 with the embedded store/,
  },
  {
    what: 'a limit of results on a volume',
    change: { coordinator: { results: { inlineLimit: '1Mi' } } },
    says: /spec\.coordinator\.results is for results on a Redis server: remove it/,
  },
  {
    what: 'a limit without a unit',
    change: { coordinator: { results: { inlineLimit: '64' }, store: { redis: { url: 'redis://a' } } } },
    says: /must be a whole number with the unit Ki, Mi or Gi, such as 256Mi/,
  },
  { what: 'two stores', change: store({ embedded: {}, redis: { url: 'redis://a' } }), says: /must have exactly one of embedded and redis/ },
  { what: 'no store', change: store({}), says: /must have exactly one of embedded and redis/ },
  { what: 'a size without a number', change: store({ embedded: { storage: 'big' } }), says: /must be a size with a unit, such as 10Gi/ },
  { what: 'Redis nowhere', change: store({ redis: {} }), says: /spec\.coordinator\.store\.redis must say where the server is/ },
  { what: 'Redis by HTTP', change: store({ redis: { url: 'https://redis:6379' } }), says: /must be like redis:\/\/host:6379/ },
  {
    what: 'a password for Redis',
    change: store({ redis: { url: 'redis://:secret@redis' } }),
    says: /must not contain a password.*secretRef/,
  },
  { what: 'an issuer for nothing', change: { certificates: { issuerRef: { name: 'a' } } }, says: /issuerRef belongs to mode certManager/ },
  { what: 'no issuer', change: { certificates: { mode: 'certManager' } }, says: /issuerRef belongs to mode certManager/ },
  { what: 'no attempts', change: { retry: { maxAttempts: 0 } }, says: /maxAttempts.*greater than or equal to 1/ },
  { what: 'a deadline that is over', change: { activeDeadlineSeconds: 0 }, says: /activeDeadlineSeconds.*greater than or equal to 1/ },
];

function uri(of: object): object {
  return { input: changed({ configMap: null, uri: { url: 'https://example.com/a', sha256: '0'.repeat(64) } }, { uri: of }) };
}

function backend(of: object): object {
  return { backend: of };
}

function store(of: object): object {
  return { coordinator: { store: of } };
}

const CANNOT = 'cannot be changed';

/** Changes of a run of NEW_SPEC that are refused, as merge patches. */
export const RUN_CHANGES: readonly RefusedRun[] = [
  { what: 'another list', change: { input: { configMap: { name: 'others' } } }, says: new RegExp(`spec\\.input ${CANNOT}`) },
  { what: 'another output', change: { output: { pvc: { path: 'b.jsonl' } } }, says: new RegExp(`spec\\.output ${CANNOT}`) },
  { what: 'no output', change: { output: null }, says: new RegExp(`spec\\.output ${CANNOT}`) },
  { what: 'another format', change: { format: { order: 'completion' } }, says: new RegExp(`spec\\.format ${CANNOT}`) },
  { what: 'a limit', change: { format: { limit: 5 } }, says: new RegExp(`spec\\.format ${CANNOT}`) },
  {
    what: 'another store',
    change: changed({ coordinator: { store: { embedded: null } } }, REDIS),
    says: new RegExp(`spec\\.coordinator\\.store ${CANNOT}`),
  },
  { what: 'another model', change: { backend: { model: 'large' } }, says: new RegExp(`spec\\.backend\\.model ${CANNOT}`) },
  { what: 'no model', change: { backend: { model: null } }, says: new RegExp(`spec\\.backend\\.model ${CANNOT}`) },
  { what: 'a model for all', change: { backend: { overrideModel: 'a' } }, says: new RegExp(`spec\\.backend\\.overrideModel ${CANNOT}`) },
  { what: 'another controller', change: { managedBy: 'example.com/other' }, says: new RegExp(`spec\\.managedBy ${CANNOT}`) },
  { what: 'no controller', change: { managedBy: null }, says: new RegExp(`spec\\.managedBy ${CANNOT}`) },
];

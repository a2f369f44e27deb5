/** Which backend a worker has: `backend.type` of worker.yaml, with the settings of that type beside it. */
export const BACKEND_TYPE = {
  kind: 'choice',
  choices: ['openai', 'mock'],
  text: 'openai, or mock: answers made up without a server',
} as const;

export const MOCK = {
  latency: {
    kind: 'duration',
    default: '20ms',
    flags: '--mock-latency <duration>',
    text: 'time of one answer',
    help: 'of the mock backend',
  },
  latencySpread: {
    kind: 'duration',
    default: '0ms',
    flags: '--mock-latency-spread <duration>',
    text: 'up to so much longer, evenly drawn for each execution',
  },
  failureRate: {
    kind: 'fraction',
    default: 0,
    flags: '--mock-failure-rate <0..1>',
    text: 'part of the executions that fail',
    help: 'part of the mock executions that fail',
  },
  seed: { kind: 'u32', default: 1, text: 'which ones fail' },
} as const;

export const OPENAI = {
  baseUrl: {
    kind: 'urls',
    flags: '--base-url <url>',
    text: 'address of the server, or a list of them, over all of which the worker spreads its items',
    more: "; its path, as `/v1` or `/api/paas/v4`, takes the place of the `/v1` with which a line's url begins; its query, as `?api-version=…`, goes with every request; no password or other secret in it",
    help: 'OpenAI-compatible server; may be repeated: each worker spreads its items over all of them',
  },
  model: { kind: 'text', otherwise: 'none', flags: '--model <name>', text: 'fill `body.model` where it is absent' },
  overrideModel: { kind: 'text', otherwise: 'none', flags: '--override-model <name>', text: 'replace `body.model` everywhere' },
  apiKeyEnv: {
    kind: 'variable',
    default: 'OPENAI_API_KEY',
    flags: '--api-key-env <NAME>',
    text: 'environment variable that holds the API key',
  },
  apiKeyHeader: {
    kind: 'keyHeader',
    otherwise: 'none',
    flags: '--api-key-header <name>',
    text: 'header that carries the key by itself, such as `api-key` (default: `Authorization: Bearer`)',
  },
  headersEnv: {
    kind: 'variable',
    otherwise: 'none',
    text: 'name of the environment variable with further headers, a JSON object',
  },
  caCert: {
    kind: 'text',
    otherwise: 'none',
    flags: '--ca-cert <file>',
    text: 'certificates of authorities to trust beside the usual ones, PEM',
    more: '; SSL_CERT_FILE, SSL_CERT_DIR and NODE_EXTRA_CA_CERTS count as well',
  },
  maxAnswerBytes: {
    kind: 'answerSize',
    default: '12MiB',
    flags: '--max-answer-bytes <size>',
    text: 'a longer answer is given up; at most 14MiB',
    more: '. It fails with `response_too_large`',
  },
} as const;

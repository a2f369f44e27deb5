import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { loadWorkerSettings, type WorkerSettings } from '../../../runtime/worker/settings.ts';
import { DEFAULT_TIMING } from '../../support/default-timing.ts';

async function load(yaml: string, isSupervised = false): Promise<WorkerSettings> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-settings-'));
  try {
    await writeFile(join(dir, 'w.yaml'), yaml);
    return await loadWorkerSettings(join(dir, 'w.yaml'), isSupervised);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const LEAST = 'coordinators: ["127.0.0.1:50051"]\nworkerId: w-1\nstateDir: s\ntls: {dir: t}\n';

test('a mock backend needs no more than its type', async (t) => {
  t.deepEqual(await load(`${LEAST}backend: {type: mock}\n`), {
    coordinators: ['127.0.0.1:50051'],
    workerId: 'w-1',
    stateDir: 's',
    tlsDir: 't',
    concurrency: 64,
    prefetch: null,
    requestTimeoutMs: 600_000,
    waitBackendMs: 900_000,
    waitCoordinatorMs: 900_000,
    drainTimeoutMs: 22_500,
    node: '',
    hintsFile: null,
    maxLoopBlockMs: 60_000,
    logLevel: 'info',
    backend: { type: 'mock', latencyMs: 20, latencySpreadMs: 0, failureRate: 0, seed: 1 },
    transport: 'stream',
    timing: DEFAULT_TIMING,
  });
});

test('prefetch may be bounded', async (t) => {
  t.is((await load(`${LEAST}backend: {type: mock}\nconcurrency: 2\nprefetch: 7\n`)).prefetch, 7);
});

test('an openai backend names the variables of its secrets, never the secrets', async (t) => {
  const { backend } = await load(`${LEAST}backend: {type: openai, baseUrl: 'http://127.0.0.1:8000/v1', model: m, headersEnv: EXTRA}\n`);
  t.deepEqual(backend, {
    type: 'openai',
    baseUrls: ['http://127.0.0.1:8000/v1'],
    model: 'm',
    overrideModel: null,
    apiKeyEnv: 'OPENAI_API_KEY',
    apiKeyHeader: null,
    caCert: null,
    maxAnswerBytes: 12 * 1024 ** 2,
    headersEnv: 'EXTRA',
  });
});

test('the base URL may be a list of them; a wrong one is told by its place', async (t) => {
  const backend = (urls: string): string => `${LEAST}backend: {type: openai, baseUrl: ${urls}}\n`;
  t.like((await load(backend("['http://a:1', 'http://b:1/v1']"))).backend, { baseUrls: ['http://a:1', 'http://b:1/v1'] });
  await t.throwsAsync(load(backend("['http://a:1', 'b:1']")), { message: /`backend.baseUrl\[?.?1\]?` at line 5 must be an address/ });
  await t.throwsAsync(load(backend('[]')), { message: /`backend.baseUrl` at line 5 must not be empty/ });
});

test('an answer may be as long as one message carries', async (t) => {
  const backend = (size: string): string => `${LEAST}backend: {type: openai, baseUrl: 'http://a:1', maxAnswerBytes: ${size}}\n`;
  t.like((await load(backend('14MiB'))).backend, { maxAnswerBytes: 14 * 1024 ** 2 });
  await t.throwsAsync(load(backend('15MiB')), { message: /`backend.maxAnswerBytes` at line 5 must be .*at most 14MiB/ });
});

test('a key in place of the name of its variable is refused without being shown, and so is a password in an address', async (t) => {
  const yaml = `${LEAST}backend: {type: openai, baseUrl: 'ftp://user:hunter2@host', apiKeyEnv: sk-very-secret, apiKey: sk-very-secret}\n`;
  const error = await t.throwsAsync(load(yaml), { instanceOf: RolloutError });
  const message = error?.message ?? '';
  t.notRegex(message, /very-secret|hunter2/);
  t.regex(message, /`backend.baseUrl` at line 5 must be an address/);
  t.regex(message, /`backend.apiKeyEnv` at line 5 must be the name of an environment variable/);
  t.regex(message, /unknown key `apiKey` at line 5; did you mean `apiKeyEnv`\?/);
});

test('only a supervised worker may begin without coordinators', async (t) => {
  const yaml = 'coordinators: []\nworkerId: w-1\nstateDir: s\ntls: {dir: t}\nbackend: {type: mock}\n';
  t.deepEqual((await load(yaml, true)).coordinators, []);
  await t.throwsAsync(load(yaml), { message: /`coordinators` at line 1 must be not empty/ });
});

test('unknown backends, bad worker ids and no coordinators are told together', async (t) => {
  const yaml = 'coordinators: []\nworkerId: "a/b"\nstateDir: s\ntls: {dir: t}\nbackend: {type: vllm}\n';
  const error = await t.throwsAsync(load(yaml), { instanceOf: RolloutError });
  const message = error?.message ?? '';
  t.regex(message, /`coordinators` at line 1 must be not empty/);
  t.regex(message, /`workerId` at line 2 must be 1 to 64 letters/);
  t.regex(message, /`backend.type` at line 5 must be one of mock, openai, but is "vllm"/);
});

test("a worker cannot take the coordinator's own worker id", async (t) => {
  const error = await t.throwsAsync(load(`${LEAST.replace('w-1', 'coordinator')}backend: {type: mock}\n`), { instanceOf: RolloutError });
  t.regex(error?.message ?? '', /`workerId` at line 2 must not be coordinator/);
});

test('keys of another backend are unknown', async (t) => {
  const error = await t.throwsAsync(load(`${LEAST}backend: {type: mock, latancy: 5ms}\n`), { instanceOf: RolloutError });
  t.regex(error?.message ?? '', /unknown key `latancy` at line 5; did you mean `latency`\?/);
});

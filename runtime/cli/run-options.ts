import { BACKEND_TYPE, MOCK, OPENAI } from '../settings/backend.ts';
import { COORDINATOR } from '../settings/coordinator.ts';
import { WORKER } from '../settings/worker.ts';
import type { RunArguments } from './arguments.ts';
import { TIMINGS, toHeaders, toInterval, toTimings, toWorkers } from './option-values.ts';
import { optionOf, type RunOption } from './run-option.ts';

/**
 * The options of `rollout run`, in the order of its help text. Those that give a setting are made from its declaration; the others concern
 * the command itself.
 */
export const RUN_OPTIONS: Readonly<Record<keyof RunArguments, RunOption>> = {
  output: optionOf(COORDINATOR.output),
  overwrite: optionOf(COORDINATOR.overwrite),
  baseUrl: optionOf(OPENAI.baseUrl),
  backend: { flags: '--backend <name>', help: BACKEND_TYPE.text, choices: BACKEND_TYPE.choices },
  model: optionOf(OPENAI.model),
  overrideModel: optionOf(OPENAI.overrideModel),
  apiKeyEnv: optionOf(OPENAI.apiKeyEnv),
  apiKeyHeader: optionOf(OPENAI.apiKeyHeader),
  caCert: optionOf(OPENAI.caCert),
  header: {
    flags: '--header <"Name: value">',
    help: 'extra request header; repeatable; kept out of every file, but seen in the arguments of this command: a secret belongs into --api-key-env',
    value: toHeaders,
    default: {},
    shownDefault: 'none',
  },
  timeout: optionOf(WORKER.requestTimeout),
  maxAnswerBytes: optionOf(OPENAI.maxAnswerBytes),
  waitBackend: optionOf(WORKER.waitBackend),
  stallTimeout: optionOf(COORDINATOR.stallTimeout),
  mockLatency: optionOf(MOCK.latency),
  mockLatencySpread: optionOf(MOCK.latencySpread),
  mockFailureRate: optionOf(MOCK.failureRate),
  raw: optionOf(COORDINATOR.raw),
  onInvalid: optionOf(COORDINATOR.onInvalid),
  order: optionOf(COORDINATOR.order),
  limit: optionOf(COORDINATOR.limit),
  workers: { flags: '--workers <n>', help: 'worker processes', value: toWorkers, default: 1 },
  concurrency: optionOf(WORKER.concurrency),
  maxAttempts: optionOf(COORDINATOR.maxAttempts),
  maxFailed: optionOf(COORDINATOR.maxFailedItems),
  stragglers: optionOf(COORDINATOR.stragglers),
  state: { flags: '--state <dir>', help: 'where the run is kept (default: <output>.rollout)' },
  redis: optionOf(COORDINATOR['store.redis']),
  redisPasswordFile: optionOf(COORDINATOR['store.passwordFile']),
  redisSentinelPasswordFile: optionOf(COORDINATOR['store.sentinelPasswordFile']),
  redisSentinelUser: optionOf(COORDINATOR['store.sentinelUsername']),
  redisSentinelCaCert: optionOf(COORDINATOR['store.sentinelCaCert']),
  redisCaCert: optionOf(COORDINATOR['store.caCert']),
  redisCert: optionOf(COORDINATOR['store.cert']),
  redisKey: optionOf(COORDINATOR['store.key']),
  redisExpireAfter: optionOf(COORDINATOR['store.expireAfter']),
  results: optionOf(COORDINATOR['results.place']),
  inlineLimit: optionOf(COORDINATOR['results.inlineLimit']),
  redisWait: {
    flags: '--redis-wait <duration>',
    help: 'end with 4, everything kept, where the Redis server could not be used for so long',
    value: toInterval,
    // As for model servers: machines that are paid for must not wait for ever.
    default: '15m',
  },
  force: { flags: '--force', help: 'go on although input or options differ from those of the run', default: false },
  extend: {
    flags: '--extend',
    help: 'lines were added to the end of the input: go on with the run, and run them too',
    default: false,
  },
  rerunDamaged: {
    flags: '--rerun-damaged',
    help: 'run items again whose recorded outcome is damaged or gone; the damaged files are kept',
    default: false,
  },
  logLevel: optionOf(COORDINATOR.logLevel),
  json: { flags: '--json', help: 'progress and summary as JSON lines on stdout', default: false },
  minFreeSpace: optionOf(COORDINATOR.minFreeSpace),
  drainTimeout: optionOf(COORDINATOR.drainTimeout),
  timing: {
    flags: '--timing <name=duration>',
    help: `for tests: ${TIMINGS.join(', ')}`,
    value: toTimings,
    default: {},
    isHidden: true,
  },
  fresh: { flags: '--fresh', help: 'move an existing state directory aside and start over', default: false, of: 'run' },
  dryRun: { flags: '--dry-run', help: 'index and check the input, estimate the disk space, run nothing', default: false, of: 'run' },
  failed: {
    flags: '--failed',
    help: 'lines that failed, but for those that are no items: these would fail again',
    isRequired: true,
    of: 'retry',
  },
};

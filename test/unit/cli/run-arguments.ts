import type { RunArguments } from '../../../runtime/cli/arguments.ts';

/** The arguments of `rollout run in.jsonl --output out.jsonl --base-url http://127.0.0.1:8000`, with what a test changes. */
export function runArguments(change: Partial<RunArguments> = {}): RunArguments {
  return {
    output: 'out.jsonl',
    overwrite: false,
    baseUrl: ['http://127.0.0.1:8000'],
    mockLatency: '20ms',
    mockLatencySpread: '0ms',
    mockFailureRate: 0,
    workers: 1,
    concurrency: 64,
    maxAnswerBytes: '12MiB',
    apiKeyEnv: 'OPENAI_API_KEY',
    header: {},
    raw: false,
    onInvalid: 'record',
    order: 'input',
    dryRun: false,
    stragglers: false,
    maxAttempts: 5,
    timeout: '600s',
    waitBackend: '15m',
    drainTimeout: '20s',
    redisWait: '15m',
    minFreeSpace: '64MiB',
    fresh: false,
    force: false,
    extend: false,
    rerunDamaged: false,
    logLevel: 'info',
    json: false,
    timing: {},
    ...change,
  };
}

import { settingsText } from '../../../runtime/base/config/settings-file.ts';
import { quantityBytes } from '../../../runtime/model/results-kind.ts';
import type { RolloutRun } from '../../api/run.ts';
import { coordinatorName } from '../children.ts';
import { type RedisAccess, redisFiles } from '../redis-access.ts';
import { runIdOf } from '../run-id.ts';
import {
  GRACE_SECONDS,
  HTTP_PORT,
  INPUT_FILE,
  OUTPUT_DIR,
  OUTPUT_FILE,
  PORT,
  REDIS_DIR,
  RUN_DIR,
  STATE_DIR,
  TLS_DIR,
} from './pod-places.ts';

const MODEL_PORT = 8_000;

/** coordinator.yaml and worker.yaml of a run, as the text of its ConfigMap. */
export function coordinatorSettings({ metadata, spec }: RolloutRun, redis: RedisAccess | null, serveAfterEnd = true): string {
  const { format, backend, retry, maxFailedItems } = spec;
  return settingsText({
    runId: runIdOf(metadata.uid),
    input: INPUT_FILE,
    output: spec.output?.pvc === undefined ? OUTPUT_FILE : `${OUTPUT_DIR}/${spec.output.pvc.path}`,
    stateDir: RUN_DIR,
    listen: `0.0.0.0:${PORT}`,
    http: `0.0.0.0:${HTTP_PORT}`,
    tls: { dir: TLS_DIR },
    serveAfterEnd,
    events: 'none',
    ...given({ raw: format.raw, onInvalid: format.onInvalid, order: format.order, limit: format.limit }),
    ...given({ maxAttempts: retry.maxAttempts, maxFailedItems: maxFailedItems === undefined ? undefined : String(maxFailedItems) }),
    ...(redis === null ? {} : { store: { redis: redis.url, ...redisFiles(redis, `${REDIS_DIR}/`) } }),
    // Coordinators on several nodes share nothing but the server.
    results: given({ ...inlineResults(redis, spec), model: backend.model, overrideModel: backend.overrideModel }),
  });
}

function inlineResults(redis: RedisAccess | null, { coordinator }: RolloutRun['spec']): Record<string, unknown> {
  const { inlineLimit } = coordinator.results ?? {};
  if (redis === null) return {};
  return { place: 'inline', inlineLimit: inlineLimit === undefined ? undefined : `${quantityBytes(inlineLimit)}B` };
}

export function workerSettings({ metadata, spec }: RolloutRun): string {
  const { name, namespace } = metadata;
  return settingsText({
    coordinators: [`${coordinatorName(name)}.${namespace}.svc:${PORT}`],
    stateDir: STATE_DIR,
    tls: { dir: TLS_DIR },
    concurrency: spec.workers.concurrency,
    terminationGracePeriod: `${spec.workers.template?.spec?.terminationGracePeriodSeconds ?? GRACE_SECONDS}s`,
    ...given({ requestTimeout: seconds(spec.backend.requestTimeoutSeconds) }),
    backend: backendSettings(spec.backend),
  });
}

function backendSettings(backend: RolloutRun['spec']['backend']): object {
  if (backend.type === 'mock') return { type: 'mock' };
  const baseUrl = backend.baseUrl ?? `http://127.0.0.1:${backend.port ?? MODEL_PORT}`;
  return { type: 'openai', baseUrl, ...given({ model: backend.model, overrideModel: backend.overrideModel }) };
}

function seconds(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}s`;
}

/** Without what is not said. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

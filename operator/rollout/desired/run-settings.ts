import { settingsText } from '../../../runtime/base/config/settings-file.ts';
import type { RolloutRun } from '../../api/run.ts';
import { coordinatorName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { runIdOf } from '../run-id.ts';
import { GRACE_SECONDS } from './worker-pod.ts';

/** Where the parts of a run find one another in their pods. */
export const PORT = 50_051;
export const HTTP_PORT = 9_464;
export const STATE_DIR = '/state';
export const CONFIG_DIR = '/etc/rollout';
export const TLS_DIR = '/tls';
export const REDIS_DIR = '/redis';
export const OUTPUT_DIR = '/output';
export const INPUT_FILE: string = `${STATE_DIR}/input.jsonl`;
export const OUTPUT_FILE: string = `${STATE_DIR}/output.jsonl`;
export const RUN_DIR: string = `${STATE_DIR}/run`;
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
    ...(redis === null ? {} : { store: redisStore(redis) }),
    // Coordinators on several nodes share nothing but the server.
    results: given({ place: redis === null ? undefined : 'inline', model: backend.model, overrideModel: backend.overrideModel }),
  });
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

function redisStore({ url, hasPassword, hasAuthority, hasCertificate }: RedisAccess): object {
  return {
    redis: url,
    ...(hasPassword ? { passwordFile: `${REDIS_DIR}/password` } : {}),
    ...(hasAuthority ? { caCert: `${REDIS_DIR}/ca.crt` } : {}),
    ...(hasCertificate ? { cert: `${REDIS_DIR}/tls.crt`, key: `${REDIS_DIR}/tls.key` } : {}),
  };
}

/** Without what is not said. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
